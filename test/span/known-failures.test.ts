import { afterEach, describe, expect, it } from "vitest";
import { toolError } from "../../src/core/outcome.ts";
import { forgetFailure, knowFailure, knownFailure, withKnownFailure } from "../../src/span/known-failures.ts";
import { createAdapterRecorder } from "../../src/span/recorder.ts";
import { failed, succeeded, traced, verdict } from "../support/traced.ts";

const failure = toolError("no", "ToolException");
afterEach(() => {
  for (const key of ["a", "b", "node"]) forgetFailure(key);
});

function recording(options: { readonly limits?: { readonly openRuns: number } } = {}) {
  const test = traced();
  const { tracerProvider, meterProvider } = test;
  return { ...test, recorder: createAdapterRecorder({ tracerProvider, meterProvider, ...options }) };
}

describe("a failure that is known of a run", () => {
  it("decides, whatever the run then returns or throws", () => {
    const { recorder, spans } = recording();
    for (const key of ["a", "b"]) {
      recorder.onToolStart({ key, name: "t" });
      knowFailure(key, failure);
    }
    recorder.onToolEnd("a", "fine");
    recorder.onToolError("b", new TypeError("other"));
    expect(spans().map(verdict)).toEqual([failed("ToolException"), failed("ToolException")]);
    expect(spans().map(({ status }) => status.message)).toEqual(["no", "no"]);
    expect(spans().map(({ attributes }) => attributes["toolspan.handled"])).toEqual([true, undefined]);
  });

  it("is that of this run alone, and only until it is forgotten", () => {
    const { recorder, spans } = recording();
    knowFailure("a", failure);
    recorder.onToolStart({ key: "b", name: "t" });
    recorder.onToolEnd("b", "fine");
    forgetFailure("a");
    recorder.onToolStart({ key: "a", name: "t" });
    recorder.onToolEnd("a", "fine");
    expect(spans().map(verdict)).toEqual([succeeded, succeeded]);
    expect(knownFailure("a")).toBeUndefined();
  });

  it("stays with a run that is held", () => {
    const { recorder, onlySpan } = recording();
    recorder.onParentStart({ key: "node" });
    recorder.onToolStart({ key: "a", name: "t", parentKey: "node" });
    knowFailure("a", failure);
    recorder.hold("a", { kind: "returned", value: "fine" });
    forgetFailure("a");
    recorder.onParentEnd("node");
    expect(verdict(onlySpan())).toEqual(failed("ToolException"));
  });

  it("counts for a run that was closed to make room", async () => {
    const { recorder, failures } = recording({ limits: { openRuns: 1 } });
    recorder.onToolStart({ key: "a", name: "t" });
    recorder.onToolStart({ key: "b", name: "t" });
    knowFailure("a", failure);
    recorder.onToolEnd("a", "fine");
    recorder.onToolEnd("b", "fine");
    expect(await failures()).toBe(1);
  });

  it("may be known by an object where the framework gave the run no id", () => {
    const config = {};
    knowFailure(config, failure);
    expect([knownFailure(config), knownFailure({})]).toEqual([failure, undefined]);
    forgetFailure(config);
    expect(knownFailure(config)).toBeUndefined();
  });

  it("an end of which nothing is known stays as it is", () => {
    const end = { kind: "returned", value: 1 } as const;
    expect(withKnownFailure("a", end)).toBe(end);
  });
});
