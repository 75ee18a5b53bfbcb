import { createHash } from "node:crypto";
import { mkdir, readFile, rename, rm, stat, symlink } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { run } from "./run.mjs";

const root = join(import.meta.dirname, "..", "..");
const pom = join(root, "test", "stack", "programs", "kafka", "pom.xml");
const target = join(root, ".cache", "stack", "kafka");
const machineCache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "toolspan", "stack");

/**
 * Kafka's jars by Maven into .cache/stack/kafka, kept for the machine by the hash of their pom.
 * @returns {Promise<string>} what was done, for the log
 */
export async function installKafka() {
  const hash = createHash("sha256")
    .update(await readFile(pom))
    .digest("hex")
    .slice(0, 16);
  const kept = join(machineCache, `kafka-${hash}`);
  const isThere = await stat(kept).then(
    () => true,
    () => false,
  );
  if (!isThere) {
    const made = `${kept}.${process.pid}`;
    await run("mvn", ["-q", "-B", "-f", pom, "dependency:copy-dependencies", `-DoutputDirectory=${made}`], {
      quiet: true,
    });
    await rename(made, kept);
  }
  await mkdir(join(target, ".."), { recursive: true });
  await rm(target, { recursive: true, force: true });
  await symlink(kept, target);
  return isThere ? "kafka: already there" : "kafka: fetched";
}
