import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { machineCache, programs, root } from "./places.mjs";
import { run } from "./run.mjs";

/**
 * The Python that runs the recipes: an environment with their requirements, by pip, linked to as .cache/stack/python.
 * @returns {Promise<string>} what was done, for the log
 */
export async function pythonEnvironment() {
  const requirements = join(root, "collector-config", "recipes", "requirements.txt");
  const version = await run("python3", ["--version"], { quiet: true });
  const hash = createHash("sha256")
    .update(version)
    .update(await readFile(requirements))
    .digest("hex")
    .slice(0, 16);
  const kept = join(machineCache, `python-${hash}`);
  const isThere = existsSync(join(kept, "complete"));
  if (!isThere) {
    // An environment knows its own path, so it is made where it stays, and complete only when it says so.
    await rm(kept, { recursive: true, force: true });
    await mkdir(machineCache, { recursive: true });
    await run("python3", ["-m", "venv", kept]);
    await run(join(kept, "bin", "pip"), ["install", "--quiet", "--disable-pip-version-check", "-r", requirements]);
    await mkdir(join(kept, "complete"));
  }
  const link = join(programs, `python.${process.pid}`);
  await mkdir(programs, { recursive: true });
  await symlink(kept, link);
  await rename(link, join(programs, "python"));
  return `python: ${isThere ? "already there" : "made"}`;
}
