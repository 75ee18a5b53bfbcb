import { describe, expect, it } from "vitest";
import { AgentTally } from "../../src/span/agent-tally.ts";

type Call = readonly [
  callId: string,
  tool: string,
  outcome: "ok" | "error" | "cancelled",
  startedAt: number,
  endedAt: number,
];

/** Calls, failed ones, and those that no later call made good. */
function countsOf(...calls: readonly Call[]): readonly number[] {
  const tally = new AgentTally();
  for (const [callId, tool, outcome, startedAt, endedAt] of calls)
    tally.noteRun(callId, { tool, outcome, startedAt, endedAt });
  const { toolCalls, failedToolCalls, unrecoveredToolCalls } = tally.counts();
  return [toolCalls, failedToolCalls, unrecoveredToolCalls];
}

const failedFirst: Call = ["c1", "search", "error", 0, 10];

describe("a failed call is made good", () => {
  it.each<[string, number, Call]>([
    ["by a later call of the same tool that came back well", 0, ["c2", "search", "ok", 20, 30]],
    ["by one that began the moment it ended", 0, ["c2", "search", "ok", 10, 30]],
    ["not by one that had begun before it ended", 1, ["c2", "search", "ok", 9, 30]],
    ["not by another tool's", 1, ["c2", "fetch", "ok", 20, 30]],
    ["not by one that was stopped", 1, ["c2", "search", "cancelled", 20, 30]],
  ])("%s", (_title, unrecovered, later) => {
    expect(countsOf(failedFirst, later)).toEqual([2, 1, unrecovered]);
  });
});

describe("later runs of one call", () => {
  it("replace what the earlier ones came to, and are no further call", () => {
    expect(countsOf(failedFirst, ["c1", "search", "ok", 20, 30])).toEqual([1, 0, 0]);
  });

  it("leave it to have begun with its first run: it is no later call than one that failed meanwhile", () => {
    expect(countsOf(["c2", "search", "error", 5, 6], failedFirst, ["c2", "search", "ok", 20, 30])).toEqual([2, 1, 1]);
  });

  it("begin when the earlier has ended: of those that overlap each is a call, to which a model gave one id", () => {
    expect(countsOf(failedFirst, ["c1", "search", "ok", 9, 30])).toEqual([2, 1, 1]);
    expect(countsOf(failedFirst, ["c1", "search", "ok", 10, 30])).toEqual([1, 0, 0]);
    expect(countsOf(["c1", "fetch", "ok", 5, 8], failedFirst, ["c1", "search", "ok", 20, 30])).toEqual([2, 0, 0]);
  });

  it.each([
    ["once the model was asked again", 15, [2, 1, 0]],
    ["the moment it was", 20, [2, 1, 0]],
    ["not before it was", 25, [1, 0, 0]],
    ["nor where it was asked before both", 0, [1, 0, 0]],
  ])("are another call %s", (_title, askedAt, counts) => {
    const tally = new AgentTally();
    tally.noteInference(askedAt, true);
    tally.noteRun("c1", { tool: "search", outcome: "error", startedAt: 0, endedAt: 10 });
    tally.noteRun("c1", { tool: "search", outcome: "ok", startedAt: 20, endedAt: 30 });
    const { toolCalls, failedToolCalls, unrecoveredToolCalls } = tally.counts();
    expect([toolCalls, failedToolCalls, unrecoveredToolCalls]).toEqual(counts);
  });

  it("are calls of their own where nobody gave an id", () => {
    expect(countsOf(["", "search", "error", 0, 10], ["", "search", "error", 20, 30])).toEqual([2, 2, 2]);
  });
});

describe("where a model asks for the calls", () => {
  /** Its own turns begin at 1 and 100; a tool asks another model at 50. */
  function unrecovered(...calls: readonly Call[]): number {
    const tally = new AgentTally();
    tally.noteInference(1, true);
    tally.noteInference(50, false);
    tally.noteInference(100, true);
    for (const [callId, tool, outcome, startedAt, endedAt] of calls)
      tally.noteRun(callId, { tool, outcome, startedAt, endedAt });
    return tally.counts().unrecoveredToolCalls;
  }

  it.each<[string, number, Call]>([
    ["one of a later turn makes good", 0, ["c2", "search", "ok", 101, 110]],
    ["one asked for together with the failed one does not, though it ran after it", 1, ["c2", "search", "ok", 60, 70]],
    ["one that began the moment the model was asked again does", 0, ["c2", "search", "ok", 100, 110]],
  ])("%s", (_title, wanted, good) => {
    expect(unrecovered(["c1", "search", "error", 2, 10], good)).toBe(wanted);
  });

  it("the last good call counts, in whichever order they ended", () => {
    const good: readonly Call[] = [
      ["c2", "search", "ok", 101, 110],
      ["c3", "search", "ok", 3, 120],
    ];
    for (const calls of [good, good.toReversed()])
      expect(unrecovered(["c1", "search", "error", 2, 10], ...calls)).toBe(0);
  });

  it("a failure of the last turn is made good by nothing, though it began with it", () => {
    expect(unrecovered(["c1", "search", "error", 100, 110], ["c2", "search", "ok", 120, 130])).toBe(1);
  });

  it("a failure of the last turn is made good by nothing", () => {
    expect(unrecovered(["c1", "search", "error", 101, 110], ["c2", "search", "ok", 120, 130])).toBe(1);
  });
});

it("calls of the model are counted, also those that a tool makes", () => {
  const tally = new AgentTally();
  expect(tally.counts().inferenceCalls).toBe(0);
  tally.noteInference(0, true);
  tally.noteInference(1, false);
  expect(tally.counts().inferenceCalls).toBe(2);
});
