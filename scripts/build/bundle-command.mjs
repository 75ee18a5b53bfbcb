import { chmodSync, mkdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { isAbsolute, join, sep } from "node:path";
import { rolldown } from "rolldown";

/** Packages that only the command needs; they and what they import are bundled, so that toolspan depends on nothing. */
const BUNDLED = /^protobufjs($|\/)/;

/**
 * Puts the command and its packages into one file in place of what tsc made of src/cli. The library's own modules stay
 * outside: the command then plays the very handler that applications import, and starts without OpenTelemetry.
 *
 * @param {string} outDir where tsc has built
 * @returns {Promise<string[]>} paths of the bundled modules that are not ours
 */
export async function bundleCommand(outDir) {
  const library = realpathSync(outDir) + sep;
  const cli = join(library, "cli") + sep;
  const bin = join(cli, "bin.js");
  const bundle = await rolldown({ input: bin, platform: "node", external: createExternal(library, cli) });
  const { output } = await bundle.generate({ format: "esm", file: bin, codeSplitting: false });
  await bundle.close();
  const [chunk, ...more] = output;
  if (more.length > 0) throw new Error(`the command must be one file, not ${output.map((part) => part.fileName)}`);
  rmSync(cli, { recursive: true });
  mkdirSync(cli);
  writeFileSync(bin, chunk.code);
  chmodSync(bin, 0o755);
  return chunk.moduleIds.filter((id) => isAbsolute(id) && !id.startsWith(library));
}

/** Leaves out our own modules beside src/cli, and the packages our own modules name, but for the bundled. */
function createExternal(library, cli) {
  return (id, importer) => {
    if (isAbsolute(id)) return id.startsWith(library) && !id.startsWith(cli);
    return !id.startsWith(".") && !BUNDLED.test(id) && importer?.startsWith(library) === true;
  };
}
