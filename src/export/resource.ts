import { randomUUID } from "node:crypto";
import { readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import type * as resourcesPackage from "@opentelemetry/resources";

/** Without it two processes of a service, or one and its restart, write the same series, and their counts overwrite each other. */
const INSTANCE_ID = randomUUID();

/**
 * Who sends: the SDK's name and version, the process id and an id of this process, `OTEL_RESOURCE_ATTRIBUTES` and
 * `OTEL_SERVICE_NAME`. Hosts and operating systems are left to the collector, which knows them better.
 */
export function resourceOf(
  { defaultResource, detectResources, envDetector, resourceFromAttributes }: typeof resourcesPackage,
  serviceName: string | undefined,
): resourcesPackage.Resource {
  const found = applicationName();
  return defaultResource()
    .merge(
      resourceFromAttributes({
        "process.pid": process.pid,
        "service.instance.id": INSTANCE_ID,
        ...(found ? { "service.name": found } : {}),
      }),
    )
    .merge(detectResources({ detectors: [envDetector] }))
    .merge(resourceFromAttributes(serviceName === undefined ? {} : { "service.name": serviceName }));
}

/** The name in the package.json above the main script, or above the working directory where a tool runs the script. */
function applicationName(): string | undefined {
  const main = mainScript();
  const ownScript = main !== undefined && !main.includes("node_modules");
  let folder = ownScript ? dirname(main) : process.cwd();
  for (;;) {
    const name = nameIn(join(folder, "package.json"));
    const above = dirname(folder);
    if (name !== undefined || above === folder) return name;
    folder = above;
  }
}

function mainScript(): string | undefined {
  try {
    return process.argv[1] === undefined ? undefined : realpathSync(process.argv[1]);
  } catch {
    return undefined; // `node -e`, or a script that is no file
  }
}

function nameIn(file: string): string | undefined {
  try {
    const { name } = JSON.parse(readFileSync(file, "utf8")) as { name?: unknown };
    return typeof name === "string" && name !== "" ? name : undefined;
  } catch {
    return undefined;
  }
}
