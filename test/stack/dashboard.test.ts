import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { dashboardQueries, filled } from "./support/dashboard.ts";
import { programPath, scratch } from "./support/program.ts";
import { replaced } from "./support/prometheus.ts";

const DASHBOARD = "dashboards/tool-calls.json";

/** Grafana's own types decode the dashboard. @returns what they complain of, or nothing */
async function decode(change: Readonly<Record<string, string>> = {}): Promise<string> {
  const file = join(scratch(), "dashboard.json");
  writeFileSync(file, replaced(readFileSync(DASHBOARD, "utf8"), change));
  return promisify(execFile)(programPath("dashcheck"), [file]).then(
    () => "",
    (error: { stderr?: string }) => String(error.stderr),
  );
}

it("Grafana's types take it", async () => expect(await decode()).toBe(""));

it.each([
  ["a field that there is not", { '"legendFormat"': '"legend"' }],
  ["text where a number belongs", { '"schemaVersion": 41': '"schemaVersion": "41"' }],
  ["no place for a panel", { '"gridPos"': '"gridPosition"' }],
])("%s is seen", async (_, change) => expect(await decode(change)).toContain("dashboard.json"));

describe("its queries", () => {
  const queries = dashboardQueries(DASHBOARD);

  it("hold no variable that the dashboard has not", () => {
    const variables = { source: "spans", service: ".*", tool: ".*", __range: "1h", __interval: "1m" };
    expect(queries.length).toBeGreaterThan(20);
    expect(queries.map(({ expr }) => filled(expr, variables)).filter((text) => text.includes("$"))).toEqual([]);
  });

  it("count from one source at a time", () => {
    const counts = queries.flatMap(
      ({ expr }) => expr.match(/(?:tool:calls|tool:duration_buckets|agent:runs):new\{[^}]*\}/g) ?? [],
    );
    expect(counts.length).toBeGreaterThan(20);
    expect(counts.filter((selector) => !/\{source="(?:\$source|spans)"/.test(selector))).toEqual([]);
  });
});

it("the provisioned data sources have the names by which dashboard and exemplars find them", () => {
  const sources = readFileSync("dashboards/provisioning/datasources/toolspan.yaml", "utf8");
  const uids = [...sources.matchAll(/^ {4}uid: (\w+)$/gm)].map(([, uid]) => uid);
  expect(uids).toEqual(["prometheus", "jaeger"]);
  expect(/datasourceUid: (\w+)/.exec(sources)?.[1]).toBe("jaeger");
});
