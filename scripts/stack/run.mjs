import { spawn } from "node:child_process";

/**
 * Runs a command; its output goes to ours unless `quiet`. Rejects when it fails or cannot be started.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, quiet?: boolean, env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<string>} its standard output, where `quiet`
 */
export function run(command, args, { cwd, quiet = false, env = process.env } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ["ignore", quiet ? "pipe" : "inherit", "inherit"] });
    let output = "";
    child.stdout?.on("data", (part) => (output += part));
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve(output);
      else reject(new Error(`${command} ${args.join(" ")} ended with ${code}`));
    });
  });
}
