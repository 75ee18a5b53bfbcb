import { describe, expect, it, vi } from "vitest";
import type { RecorderOptions } from "../../src/index.ts";
import type { PendingRun, Settler } from "../../src/span/registry.ts";
import { useFakeClock } from "../support/fake-clock.ts";
import { said } from "../support/said.ts";
import { failed, succeeded, unfailed, verdict } from "../support/traced.ts";
import { watchedAdapter } from "../support/watched.ts";

useFakeClock();
const lines = said();

const abort = () => new DOMException("stopped", "AbortError");
const cancelled = unfailed("cancelled");
const denied = { outcome: { kind: "denied" } } as const;
const deny: Settler = (runs) => runs.map(() => denied);

/** A parent with one open run, and a way to hold it. */
function held(settler?: Settler, options: RecorderOptions = {}) {
  const test = watchedAdapter(options, settler);
  const { recorder } = test;
  const hold = (key = "r1", error: unknown = abort()) => recorder.hold(key, { kind: "threw", error });
  recorder.onParentStart({ key: "p", data: "the adapter's own" });
  recorder.onToolStart({ key: "r1", name: "t", parentKey: "p" });
  return { ...test, hold };
}

describe("a held run", () => {
  it("is settled by its parent's end, with the time of its own", async () => {
    const asked: unknown[] = [];
    const { recorder, hold, spans, onlySpan, counts } = held((...args) => {
      asked.push(...args);
      return [denied];
    });
    vi.advanceTimersByTime(1000);
    hold();
    vi.advanceTimersByTime(2000);
    expect(spans()).toEqual([]);
    recorder.onParentEnd("p", "value");
    expect(verdict(onlySpan())).toEqual(unfailed("denied"));
    expect(asked).toMatchObject([
      [{ call: { key: "r1" }, judged: { kind: "cancelled" }, end: { kind: "threw" } }],
      { kind: "returned", value: "value" },
      "the adapter's own",
    ]);
    expect(onlySpan().duration).toEqual([1, 0]);
    vi.useRealTimers();
    expect(await counts()).toMatchObject([{ sum: 1 }]);
  });

  it("what its call came to is on its span, and on the metric where it recovered", async () => {
    const { recorder, hold, spans, counts } = held((runs) =>
      runs.map(({ judged }, index) => ({
        outcome: judged!,
        ...(index === 0 ? { isRecovered: true } : { callOutcome: "error" }),
      })),
    );
    hold("r1", new Error("no"));
    recorder.onToolStart({ key: "r2", name: "t", parentKey: "p" });
    recorder.hold("r2", { kind: "returned", value: "fine" });
    recorder.onParentEnd("p");
    expect(
      spans().map(({ attributes }) => [attributes["toolspan.recovered"], attributes["toolspan.call_outcome"]]),
    ).toEqual([
      [true, undefined],
      [undefined, "error"],
    ]);
    vi.useRealTimers();
    expect((await counts()).map(({ attributes }) => attributes["toolspan.recovered"])).toEqual([true, undefined]);
  });

  it("settles a run whose end its own parent tells", () => {
    const { recorder, onlySpan } = held(() => [{ outcome: { kind: "error", type: "invalid_result", message: "" } }]);
    recorder.onParentEnd("p");
    expect(verdict(onlySpan())).toEqual(failed("invalid_result"));
  });

  it.each([
    [
      "its parent's end, where nothing settles it",
      (recorder: ReturnType<typeof held>["recorder"]) => recorder.onParentEnd("p"),
    ],
    ["shutdown", (recorder: ReturnType<typeof held>["recorder"]) => recorder.shutdown()],
    ["its age", () => vi.advanceTimersByTime(2 * 3_600_000)],
  ])("%s leaves it what its own end means", (_title, happen) => {
    const { recorder, hold, onlySpan } = held();
    hold("r1", new RangeError("no"));
    happen(recorder);
    expect(verdict(onlySpan())).toEqual(failed("RangeError"));
  });

  it("has ended: no later end, hold or parent's stop changes it", () => {
    const { recorder, hold, onlySpan } = held();
    hold("r1", new RangeError("no"));
    hold();
    recorder.onToolEnd("r1", "fine");
    recorder.onParentError("p", abort());
    expect(verdict(onlySpan())).toEqual(failed("RangeError"));
  });

  it("is ended by the first that held it", () => {
    const { recorder, hold, onlySpan } = held();
    hold();
    recorder.hold("r1", { kind: "returned", value: 7 });
    recorder.onParentEnd("p");
    expect(verdict(onlySpan())).toEqual(cancelled);
  });

  it("that threw has no result, even if its parent makes it a success", () => {
    const { recorder, hold, onlySpan } = held((runs) => runs.map(() => ({ outcome: { kind: "ok" } })), {
      captureContent: true,
      redact: () => "mine",
    });
    hold();
    recorder.onParentEnd("p");
    expect(verdict(onlySpan())).toEqual(succeeded);
    expect(onlySpan().attributes).not.toHaveProperty("gen_ai.tool.call.result");
  });

  it("waits for its own parent, not for one above", () => {
    const { recorder, hold, spans } = held(deny);
    recorder.onParentStart({ key: "node", parentKey: "p" });
    recorder.onToolStart({ key: "r2", name: "t", parentKey: "node" });
    hold("r2");
    recorder.onToolEnd("r1", "fine");
    recorder.onParentEnd("p");
    expect(spans()).toHaveLength(1);
    recorder.onParentEnd("node");
    expect(spans().map(verdict)).toEqual([succeeded, unfailed("denied")]);
  });

  it("without a parent that can settle it, or without a start, it is judged at once", () => {
    const { recorder, hold, spans } = held();
    recorder.onToolStart({ key: "r2", name: "t", parentKey: "unknown" });
    hold("r2");
    hold("lost");
    expect(spans().map(verdict)).toEqual([cancelled, cancelled]);
  });

  it("is what its own end means if the settler fails", () => {
    const { recorder, hold, onlySpan } = held(() => {
      throw new Error("ours");
    });
    hold("r1", new RangeError("no"));
    recorder.onParentEnd("p");
    expect(verdict(onlySpan())).toEqual(failed("RangeError"));
    expect(lines.splice(0)).toHaveLength(1);
  });
});

describe("what the settler is told", () => {
  const askedOf = () => {
    const asked: { runs: readonly PendingRun[]; ends: readonly unknown[] } = { runs: [], ends: [] };
    const settler: Settler = (runs, ...ends) => {
      Object.assign(asked, { runs, ends });
      return [];
    };
    return { asked, settler };
  };

  it("which runs failed by what was seen alone, which ended otherwise, and which never did", () => {
    const { asked, settler } = askedOf();
    const { recorder, spans } = held(settler);
    const failure = { isError: true, content: [] };
    for (const [key, seen, value] of [
      ["seen", failure, "fine"],
      ["told", failure, failure],
      ["well", "fine", "fine"],
    ] as const) {
      const entered = recorder.enter({ key, name: key, parentKey: "p" })!;
      entered.saw([seen]);
      entered.end({ kind: "returned", value }, { isHeld: true });
    }
    recorder.onParentEnd("p");
    expect(asked.runs.map(({ call, judged, isLost }) => [call.key, judged?.kind, isLost])).toEqual([
      ["r1", undefined, false],
      ["seen", "error", true],
      ["told", "error", false],
      ["well", "ok", false],
    ]);
    expect(spans().map(verdict)).toEqual([failed("tool_error"), failed("tool_error"), succeeded]);
  });

  it("nothing, where a parent without an end is let go: the run waits for the end of all", () => {
    const { asked, settler } = askedOf();
    const { recorder, hold, spans, onlySpan } = held(settler, { limits: { openRuns: 1 } });
    hold("r1", new RangeError("no"));
    recorder.onParentStart({ key: "next" });
    recorder.onParentEnd("p");
    expect([asked.runs, spans()]).toEqual([[], []]);
    recorder.shutdown();
    expect(verdict(onlySpan())).toEqual(failed("RangeError"));
  });
});
