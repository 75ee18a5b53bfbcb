import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { Service, Services } from "./support/compose.ts";
import { loadCompose } from "./support/compose.ts";

const MOUNTED = /^(.*\/)?(collector-config|dashboards)(?=\/|$)/;

describe.each(["docker-compose.yml", "docker-compose.scale.yml"])("%s", (file) => {
  let services: Services;
  beforeAll(async () => {
    services = await loadCompose(file);
  });
  const entries = (): readonly (readonly [string, Service])[] => Object.entries(services);

  it("has the parts", () => {
    const parts = ["otel-collector", "jaeger", "prometheus", "alertmanager", "grafana"];
    expect(Object.keys(services)).toEqual(expect.arrayContaining(parts));
  });

  it("pins every image to a version", () => {
    for (const [name, { image }] of entries())
      expect([name, image]).toEqual([name, expect.stringMatching(/:v?\d+\.\d+\.\d+$/)]);
  });

  it("publishes every port on 127.0.0.1 alone", () => {
    const ports = entries().flatMap(([, service]) => service.ports ?? []);
    expect(ports.length).toBeGreaterThan(5);
    expect(ports.filter((port) => port.host_ip !== "127.0.0.1")).toEqual([]);
  });

  it("asks every service that stays up whether it is well, itself or by a neighbour in its network", () => {
    const neighbours = new Set(
      entries()
        .filter(([, { healthcheck }]) => healthcheck)
        .map(([, { network_mode: mode }]) => mode),
    );
    const unasked = entries().filter(
      ([name, { healthcheck, restart }]) => restart !== undefined && !healthcheck && !neighbours.has(`service:${name}`),
    );
    expect(unasked.map(([name]) => name)).toEqual([]);
  });

  it("holds no password, and no account that a default one opens", () => {
    const variables = entries().flatMap(([, { environment }]) => Object.keys(environment ?? {}));
    expect(variables.filter((name) => /PASSWORD|SECRET|TOKEN/i.test(name))).toEqual([]);
    expect(services["grafana"]?.environment).toMatchObject({
      GF_SECURITY_DISABLE_INITIAL_ADMIN_CREATION: "true",
      GF_AUTH_BASIC_ENABLED: "false",
      GF_AUTH_ANONYMOUS_ORG_ROLE: "Viewer",
    });
  });

  it("keeps every service's data in a volume", () => {
    const kept = entries().filter(([name]) => !name.endsWith("-health") && name !== "volume-owner");
    const lost = kept.filter(([, { volumes = [] }]) => !volumes.some(({ type }) => type === "volume"));
    // A Jaeger on OpenSearch holds nothing of its own.
    expect(lost.map(([name]) => name)).toEqual(file === "docker-compose.yml" ? [] : ["jaeger"]);
  });

  it("gives a program only variables that its files read, and every address that it must have", () => {
    for (const [name, service] of entries().filter(([, one]) => configFiles(one).length > 0)) {
      const text = configFiles(service)
        .map((path) => readFileSync(path, "utf8"))
        .join("\n");
      const read = new Set([...text.matchAll(/\$\{env:(\w+)/g)].map(([, variable]) => variable));
      expect([name, Object.keys(service.environment ?? {}).filter((variable) => !read.has(variable))]).toEqual([
        name,
        [],
      ]);
    }
  });

  it("names in its commands only files that are mounted", () => {
    const named = entries().flatMap(([, service]) => configFiles(service));
    expect(named.length).toBeGreaterThan(3);
    for (const path of named) expect(readFileSync(path, "utf8")).not.toBe("");
  });
});

/** Files of ours which a service's command names, as paths of this folder. */
function configFiles({ command, volumes = [] }: Service): readonly string[] {
  const paths = (command ?? [])
    .map((word) => /^(?:--[\w.]*config[\w.]*=)?(\/.*\.ya?ml)$/.exec(word)?.[1] ?? "")
    .filter(Boolean);
  return paths.map((path) => {
    const mount = volumes.find(({ target }) => path === target || path.startsWith(`${target}/`));
    if (!mount) throw new Error(`${path} is not mounted`);
    return join(mount.source.replace(MOUNTED, "$2"), path.slice(mount.target.length));
  });
}

describe("what is wrong with a compose file is seen", () => {
  it.each([
    [
      "a key that there is not",
      { "restart: unless-stopped\n    command": "restrat: unless-stopped\n    command" },
      "restrat",
    ],
    [
      "a mount that is missing",
      { "./collector-config/jaeger.yaml:": "./collector-config/jeager.yaml:" },
      "bind source missing",
    ],
    ["a volume that is not declared", { "  jaeger-traces:\n  prom": "  prom" }, "jaeger-traces"],
    ["a service that is not there", { "depends_on: [prometheus, jaeger]": "depends_on: [prometheus, tempo]" }, "tempo"],
  ])("%s", async (_, change, complaint) => {
    await expect(loadCompose("docker-compose.yml", change)).rejects.toThrow(complaint);
  });
});
