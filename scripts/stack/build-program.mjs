import { createHash } from "node:crypto";
import { copyFile, mkdir, readdir, readFile, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { machineCache, programs, root } from "./places.mjs";
import { run } from "./run.mjs";

const sources = join(root, "test", "stack", "programs");

/** The programs that are built here; the Collector first, since most tests need it. */
export const PROGRAMS = ["otelcol", "dashcheck", "composecheck", "jaeger"];

/** What is built where it is not the folder's own main package: the tool that its go.mod names. */
const packages = { jaeger: "github.com/jaegertracing/jaeger/cmd/jaeger" };

/** Jaeger compiles one package at a time: its largest takes 1.8 GB, and the other lane compiles meanwhile. */
const parallel = { jaeger: ["-p", "1"] };

/**
 * Builds one program, unless the machine has it already.
 * @param {string} name
 * @returns {Promise<string>} what was done, for the log
 */
export async function buildProgram(name) {
  const folder = join(sources, name);
  const target = join(programs, name);
  const kept = join(machineCache, `${name}-${await sourceHash(folder)}`);
  await mkdir(programs, { recursive: true });
  if (await exists(kept)) {
    await replace(kept, target);
    return `${name}: already built`;
  }
  const started = Date.now();
  await mkdir(machineCache, { recursive: true });
  const made = `${kept}.${process.pid}`;
  const args = [
    "build",
    "-trimpath",
    "-buildvcs=false",
    "-ldflags",
    "-s -w",
    ...(parallel[name] ?? []),
    "-o",
    made,
    packages[name] ?? ".",
  ];
  await run("go", args, { cwd: folder });
  await rename(made, kept);
  await replace(kept, target);
  return `${name}: built in ${Math.round((Date.now() - started) / 1000)} s`;
}

/** All that decides what comes out: the folder's files and the compiler. */
async function sourceHash(folder) {
  const hash = createHash("sha256").update(
    await run("go", ["env", "GOVERSION", "GOOS", "GOARCH"], { cwd: folder, quiet: true }),
  );
  for (const file of (await readdir(folder)).sort()) hash.update(file).update(await readFile(join(folder, file)));
  return hash.digest("hex").slice(0, 16);
}

/** A program that runs cannot be overwritten, only replaced. */
async function replace(from, to) {
  const next = `${to}.${process.pid}`;
  await copyFile(from, next);
  await rename(next, to);
}

async function exists(path) {
  return stat(path).then(
    () => true,
    () => false,
  );
}
