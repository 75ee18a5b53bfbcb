import { run } from "./run.mjs";

const COMMANDS = ["prometheus", "promtool", "prometheus-alertmanager", "amtool"];

/**
 * Debian's Prometheus and Alertmanager, by apt-get, only where one of their commands is missing.
 * @returns {Promise<string>} what was done, for the log
 */
export async function installPrometheus() {
  if (await haveAll()) return "prometheus: already installed";
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  await run("apt-get", ["update"], { quiet: true, env });
  await run("apt-get", ["install", "-y", "--no-install-recommends", "prometheus", "prometheus-alertmanager"], {
    quiet: true,
    env,
  });
  if (!(await haveAll())) throw new Error(`not all of ${COMMANDS.join(", ")} are there after apt-get install`);
  return "prometheus: installed";
}

async function haveAll() {
  return run("sh", ["-c", COMMANDS.map((name) => `command -v ${name}`).join(" && ")], { quiet: true }).then(
    () => true,
    () => false,
  );
}
