/** Where the versions under test come from: the README's install lines, and Node itself by npm. */
import { execFile } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** @returns the packages of the README's install lines, by the line of OpenTelemetry's SDK */
export async function installLines(root) {
  const readme = await readFile(join(root, "README.md"), "utf8");
  const lines = [...readme.matchAll(/^npm install toolspan (.+)$/gm)].map(([, packages]) => packages.split(" "));
  if (lines.length !== 2) throw new Error(`the README has ${lines.length} install lines with versions, not 2`);
  return { "2.x": lines[0], "3.x": lines[1] };
}

/** Installs a Node in the folder, once. */
export async function nodeBinary(version, folder) {
  const place = join(folder, `node-${version}`);
  const bin = join(place, "node_modules", "node", "bin", "node");
  await mkdir(place, { recursive: true });
  const isThere = await run(bin, ["--version"]).catch(() => undefined);
  if (!isThere)
    await run("npm", ["install", "--prefix", place, "--no-audit", "--no-fund", `node@${version}`], { cwd: place });
  return bin;
}

/** npm's own script, to be run by another Node. */
export async function npmPath() {
  if (process.env.npm_execpath?.endsWith("npm-cli.js")) return process.env.npm_execpath;
  const { stdout } = await run("npm", ["root", "--global"]);
  return join(stdout.trim(), "npm", "bin", "npm-cli.js");
}
