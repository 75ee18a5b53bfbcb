import { execFile, execFileSync } from "node:child_process";
import { join } from "node:path";

/** Where the command is built for these tests: dist belongs to others. */
export const OUT_DIR = "node_modules/.cache/toolspan-cli-dist";
export const BIN = join(OUT_DIR, "cli", "bin.js");

export function buildCommand(): void {
  execFileSync(process.execPath, ["scripts/build.mjs", "--outDir", OUT_DIR], { stdio: "inherit" });
}

export interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the built command as a user's shell would, with no variables but these. */
export function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  { bin = BIN, cwd = process.cwd() }: { readonly bin?: string; readonly cwd?: string } = {},
): Promise<Run> {
  return new Promise((resolve) => {
    execFile(process.execPath, [bin, ...args], { env, cwd }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === "number" ? error.code : error ? -1 : 0, stdout, stderr });
    });
  });
}
