import { homedir } from "node:os";
import { join } from "node:path";

export const root = join(import.meta.dirname, "..", "..");

/** What this clone's tests run. */
export const programs = join(root, ".cache", "stack");

/** What the machine keeps for all clones, each thing under the hash of what it is made of. */
export const machineCache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "toolspan", "stack");
