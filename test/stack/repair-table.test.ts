/** Every recorded span of other tracers, through the real Collector with the very repair.yaml that users get. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { falsePositives, judge, pairs, type Passed } from "./support/judge.ts";
import { spansOf } from "./support/otlp.ts";
import { readRecordings } from "./support/recordings.ts";
import { startRepair } from "./support/repair.ts";
import { repairTable } from "./support/repair-table.ts";

const recorded = (name: string): string => join(import.meta.dirname, "recordings", name);

/** `TOOLSPAN_OTLP` names another folder of recordings, to be judged in place of these. */
const other = process.env["TOOLSPAN_OTLP"];
const folders = (other === undefined ? [recorded("python"), recorded("js")] : [other]).map(readRecordings);
const recordings = folders.flatMap((folder) => folder.recordings);
const verdicts = Object.assign({}, ...folders.map((folder) => folder.verdicts)) as (typeof folders)[0]["verdicts"];

let passed: readonly Passed[];
let log: () => string;

beforeAll(async () => {
  const { collector, pass } = await startRepair();
  log = () => collector.log();
  const after = await pass(recordings.map(({ request }) => request));
  passed = recordings.flatMap(({ tracer, request }, index) => pairs(tracer, spansOf(request), after[index] ?? []));
});

describe("the repair of recorded spans", () => {
  it("gets every span through", () => {
    expect(passed).toHaveLength(recordings.flatMap(({ request }) => spansOf(request)).length);
    for (const { before, after } of passed)
      expect([after.traceId, after.spanId]).toEqual([before.traceId, before.spanId]);
  });

  it("makes no right span wrong and touches only tools' spans", () => {
    expect(falsePositives(passed, verdicts)).toEqual([]);
  });

  it("leaves no scenario wrong that its span could tell", () => {
    const missed = judge(passed, verdicts).filter(({ rightAfter, reason }) => !rightAfter && reason === undefined);
    expect(missed.map(({ tracer, scenario }) => `${tracer} ${scenario}`)).toEqual([]);
  });

  it("marks what it changed, and writes an error type and a fixed sentence exactly where it makes an error", () => {
    const changed = passed.filter(({ before, after }) => before.status !== after.status);
    expect(changed.length).toBeGreaterThan(0);
    for (const { after } of changed) {
      const failed = after.status === "ERROR";
      expect(after.attributes["toolspan.repaired"]).toBe(true);
      expect(after.attributes["toolspan.outcome"]).toMatch(failed ? /^error$/ : /^(interrupted|handoff)$/);
      expect("error.type" in after.attributes).toBe(failed);
      expect(after.description).toBe(failed ? "tool call failed" : "");
    }
    const unchanged = passed.filter(({ before, after }) => before.status === after.status);
    for (const { before, after } of unchanged) expect(after).toEqual(before);
  });

  it("meets nothing it cannot read quietly", () => {
    expect(
      log()
        .split("\n")
        .filter((line) => line.includes("failed to")),
    ).toEqual([]);
  });

  it("comes to the table in the README", () => {
    const table = repairTable(judge(passed, verdicts));
    if (other !== undefined) {
      process.stdout.write(`\n${table}\n`);
      return;
    }
    const path = "collector-config/README.md";
    const [head = "", foot = ""] = readFileSync(path, "utf8").split(/<!-- repair table -->[^]*<!-- end -->/);
    const written = `${head}<!-- repair table -->\n${table}\n<!-- end -->${foot}`;
    if (process.env["TOOLSPAN_WRITE"] !== undefined) writeFileSync(path, written);
    expect(readFileSync(path, "utf8")).toBe(written);
  });
});
