/** The published table: each row of the README's, made to happen. */
import { readFileSync } from "node:fs";
import { describe, expect, expectTypeOf, it } from "vitest";
import type { Outcome, OutcomeKind } from "../src/index.ts";
import { createAdapterRecorder } from "../src/span/recorder.ts";
import { said } from "./support/said.ts";
import { verdict } from "./support/traced.ts";
import { type Watched, watched } from "./support/watched.ts";

said();

type Row = { outcome: string; meaning: string; status: string; errorType: string };
const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const table = readme.slice(readme.indexOf("| outcome |")).split("\n\n")[0]!.split("\n").slice(2);
const rows: Row[] = table.map((line) => {
  const [, outcome, meaning, status, errorType] = line.split("|").map((cell) => cell.trim());
  return { outcome: outcome!.replaceAll("`", ""), meaning: meaning!, status: status!, errorType: errorType! };
});

const throws =
  (error: unknown) =>
  ({ recorder }: Watched): void =>
    recorder.onToolError("r1", error);
const returns =
  (value: unknown) =>
  ({ recorder }: Watched): void =>
    recorder.onToolEnd("r1", value);
/** A call without a run, as an adapter tells it. */
const withoutRun =
  (type: string) =>
  ({ tracerProvider, meterProvider, recorder }: Watched): void => {
    recorder.onToolEnd("r1", undefined);
    const adapter = createAdapterRecorder({ tracerProvider, meterProvider });
    adapter.onCallWithoutRun({ name: "u" }, { kind: "error", type, message: "" });
  };
const mark = { is_bubble_up: true };

/** How each row comes about, and the `error.type` it then has. */
const happenings: Readonly<Record<string, readonly [(test: Watched) => void, string?]>> = {
  "returned, no sign of failure": [returns("fine")],
  "returned with a known failure flag": [returns({ isError: true }), "tool_error"],
  thrown: [throws(new RangeError("no")), "RangeError"],
  "deadline of tool, framework or protocol": [throws(new DOMException("late", "TimeoutError")), "timeout"],
  "arguments refused, the tool did not run": [withoutRun("invalid_arguments"), "invalid_arguments"],
  "no such tool": [withoutRun("unknown_tool"), "unknown_tool"],
  "result has the wrong shape": [
    ({ recorder }) => recorder.onParentError("p", new Error("no pair"), "invalid_result"),
    "invalid_result",
  ],
  "stopped by the caller": [throws(new DOMException("stop", "AbortError"))],
  "a human, a policy or a guardrail said no, in structure": [returns({ type: "execution-denied" })],
  "waits for a human or an outside answer": [throws({ ...mark, interrupts: [] })],
  "control flow through the tool": [throws(mark)],
  "its parent ended, or the process shut down, and no end ever came": [({ recorder }) => recorder.shutdown()],
};

describe("the README's table of outcomes", () => {
  it("has a row for each thing that can happen, and no other", () => {
    expect(rows.map(({ meaning }) => meaning)).toEqual(Object.keys(happenings));
  });

  it("has the words of the type", () => {
    expectTypeOf<OutcomeKind>().toEqualTypeOf<
      "ok" | "error" | "cancelled" | "denied" | "interrupted" | "handoff" | "abandoned"
    >();
    expectTypeOf<Outcome["kind"]>().toEqualTypeOf<OutcomeKind>();
    expect([...new Set(rows.map(({ outcome }) => outcome))]).toEqual([
      "ok",
      "error",
      "cancelled",
      "denied",
      "interrupted",
      "handoff",
      "abandoned",
    ]);
  });

  it.each(rows.map((row) => [`${row.outcome}: ${row.meaning}`, row] as const))("%s", (_title, row) => {
    const [happen, errorType] = happenings[row.meaning]!;
    const test = watched();
    test.recorder.onParentStart({ key: "p" });
    test.recorder.onToolStart({ key: "r1", name: "t", parentKey: "p" });
    happen(test);
    const status = row.status.split(" ")[0]!;
    const wanted = { status, outcome: row.outcome, ...(errorType ? { errorType } : {}) };
    expect(verdict(test.spans().at(-1))).toEqual(wanted);
    expect(row.errorType.startsWith("–")).toBe(errorType === undefined);
  });

  it.each(
    rows
      .filter(({ errorType }) => errorType.includes("errorOutcomes"))
      .map(({ outcome, meaning }) => [outcome, meaning]),
  )("%s, listed in errorOutcomes", (outcome, meaning) => {
    const test = watched({ errorOutcomes: [outcome as "cancelled" | "denied"] });
    test.recorder.onToolStart({ key: "r1", name: "t" });
    happenings[meaning!]![0](test);
    expect(verdict(test.onlySpan())).toEqual({ status: "ERROR", outcome, errorType: outcome });
  });

  it("successStatus: ok", () => {
    const test = watched({ successStatus: "ok" });
    test.recorder.onToolEnd("r1", "fine");
    expect(verdict(test.onlySpan()).status).toBe("OK");
  });
});
