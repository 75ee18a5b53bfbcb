import { context, ROOT_CONTEXT } from "@opentelemetry/api";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { createAdapterRecorder } from "../../src/span/recorder.ts";
import { SUPPRESS_TRACING } from "../../src/span/start-run.ts";
import { said } from "../support/said.ts";
import { useContextManager } from "../support/traced.ts";
import { watchedAdapter } from "../support/watched.ts";

beforeAll(useContextManager);
said();

describe("what an adapter asks", () => {
  it("nothing is known while there is no SDK", () => {
    const recorder = createAdapterRecorder();
    recorder.onParentStart({ key: "p", data: 7 });
    recorder.onToolStart({ key: "r1", name: "t" });
    expect([recorder.parentData("p"), recorder.parentData(undefined), recorder.dataAbove("p")]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(recorder.isRunning("r1")).toBe(false);
  });

  it("what it remembered of an open parent, and of no other", () => {
    const { recorder } = watchedAdapter();
    recorder.onParentStart({ key: "p", data: 7 });
    expect(["p", "q", undefined].map((key) => recorder.parentData(key))).toEqual([7, undefined, undefined]);
    recorder.onParentEnd("p");
    expect(recorder.parentData("p")).toBeUndefined();
  });
});

describe("where tracing is switched off", () => {
  const suppressed = <T>(step: () => T): T => context.with(ROOT_CONTEXT.setValue(SUPPRESS_TRACING, true), step);

  it("a call without a run is neither drawn nor counted", async () => {
    const { recorder, spans, counts } = watchedAdapter();
    suppressed(() => recorder.onCallWithoutRun({ name: "t" }, { kind: "error", type: "unknown_tool", message: "" }));
    expect(spans()).toEqual([]);
    expect(await counts()).toEqual([]);
  });

  it("an agent is neither drawn nor counted, also when its end comes outside", () => {
    const { recorder, allSpans, meterProvider } = watchedAdapter();
    const getMeter = vi.spyOn(meterProvider, "getMeter");
    suppressed(() => recorder.onParentStart({ key: "p", drawing: { kind: "agent", name: "desk" } }));
    recorder.onParentEnd("p");
    expect([allSpans(), getMeter.mock.calls]).toEqual([[], []]);
    recorder.onParentStart({ key: "p", drawing: { kind: "agent", name: "desk" } });
    recorder.onParentEnd("p");
    expect([allSpans().length, getMeter.mock.calls.length > 0]).toEqual([1, true]);
  });
});

it("two recorders' options are compared once, however many runs they share", () => {
  let reads = 0;
  const { tracerProvider, meterProvider, recorder } = watchedAdapter({ errorMessages: "masked" });
  const other = createAdapterRecorder({
    tracerProvider,
    meterProvider,
    get errorMessages() {
      reads++;
      return "masked" as const;
    },
  });
  const readsAfter = (key: string): number => {
    for (const each of [recorder, other]) each.onToolStart({ key, name: "t" });
    return reads;
  };
  const before = reads;
  const once = readsAfter("r1");
  expect(once).toBeGreaterThan(before);
  expect(readsAfter("r2")).toBe(once);
});

it("a run whose key was that of an earlier one is entered like any other; one that has ended is not", () => {
  const { recorder, spans } = watchedAdapter();
  recorder.onToolStart({ key: "1", name: "t" });
  recorder.onToolEnd("1", "fine");
  expect(recorder.enter({ key: "1", name: "t" })).toBeUndefined();
  recorder.onToolStart({ key: "1", name: "t" });
  recorder.enter({ key: "1", name: "t" })!.end({ kind: "returned", value: "fine" });
  expect(spans()).toHaveLength(2);
});

it("what others have drawn goes on when a recorder is shut down", () => {
  const one = watchedAdapter();
  const other = watchedAdapter({}, undefined, one);
  one.recorder.onParentStart({ key: "mine" });
  other.recorder.onParentStart({ key: "agent", drawing: { kind: "agent", name: "desk" } });
  one.recorder.shutdown();
  expect(one.allSpans()).toEqual([]);
  other.recorder.onParentEnd("agent");
  expect(one.allSpans().map(({ name }) => name)).toEqual(["invoke_agent desk"]);
});
