import { expect, it } from "vitest";
import { createAdapterRecorder } from "../../src/span/recorder.ts";
import { failed, succeeded, traced, unfailed, verdict } from "../support/traced.ts";

const recorderOf = (test: ReturnType<typeof traced>, limits = {}) =>
  createAdapterRecorder({ tracerProvider: test.tracerProvider, meterProvider: test.meterProvider, limits });

it("an entered run that an event has ended is not ended again, however many others ended since", async () => {
  const test = traced();
  const recorder = recorderOf(test);
  recorder.onToolStart({ key: "1", name: "t" });
  const entered = recorder.enter({ key: "1", name: "t" })!;
  recorder.onToolEnd("1", "fine");
  for (let other = 0; other < 5000; other += 1) recorder.run({ name: "other" }, () => 0);
  entered.end({ kind: "threw", error: new Error("late") });
  expect(
    test
      .spans()
      .filter(({ name }) => name === "execute_tool t")
      .map(verdict),
  ).toEqual([succeeded]);
  expect((await test.counts()).reduce((sum, { count }) => sum + count, 0)).toBe(5001);
});

it("an entered run that had to make room still counts with its own end", async () => {
  const test = traced();
  const recorder = recorderOf(test, { openRuns: 1 });
  const first = recorder.enter({ key: "1", name: "t" })!;
  recorder.enter({ key: "2", name: "t" })!.end({ kind: "returned", value: "fine" });
  first.end({ kind: "threw", error: new RangeError("no") });
  expect(test.spans().map(verdict)).toEqual([unfailed("abandoned"), succeeded]);
  expect(await test.failures()).toBe(1);
});

it("what was seen fails the run whoever ends it, and never mends a failure", () => {
  const test = traced();
  const recorder = recorderOf(test);
  const seen = { isError: true, content: [{ type: "text", text: "no" }] };
  for (const key of ["1", "2"]) recorder.enter({ key, name: "t" })!.saw(["fine", seen]);
  recorder.onToolEnd("1", "fine");
  recorder.onToolError("2", new RangeError("out"));
  expect(test.spans().map(verdict)).toEqual([failed("tool_error"), failed("RangeError")]);
});

it("nothing is entered after shutdown", () => {
  const recorder = recorderOf(traced());
  recorder.shutdown();
  expect(recorder.enter({ key: "1", name: "t" })).toBeUndefined();
});
