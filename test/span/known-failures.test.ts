import { afterEach, describe, expect, it, vi } from "vitest";
import { toolError } from "../../src/core/outcome.ts";
import { forgetFailure, knowFailure, knownFailure, withKnownFailure } from "../../src/span/known-failures.ts";
import { failed, succeeded, verdict } from "../support/traced.ts";
import { watchedAdapter } from "../support/watched.ts";

const failure = toolError("no", "ToolException");
const config = {};
afterEach(() => {
  for (const key of ["a", "b", "node", config]) forgetFailure(key);
});

describe("a failure that is known of a run", () => {
  it("decides, whatever the run then returns or throws", () => {
    const { recorder, spans } = watchedAdapter();
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
    const { recorder, spans } = watchedAdapter();
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
    const { recorder, onlySpan } = watchedAdapter();
    recorder.onParentStart({ key: "node" });
    recorder.onToolStart({ key: "a", name: "t", parentKey: "node" });
    knowFailure("a", failure);
    recorder.hold("a", { kind: "returned", value: "fine" });
    forgetFailure("a");
    recorder.onParentEnd("node");
    expect(verdict(onlySpan())).toEqual(failed("ToolException"));
  });

  it("counts for a run that was closed to make room", async () => {
    const { recorder, failures } = watchedAdapter({ limits: { openRuns: 1 } });
    recorder.onToolStart({ key: "a", name: "t" });
    recorder.onToolStart({ key: "b", name: "t" });
    knowFailure("a", failure);
    recorder.onToolEnd("a", "fine");
    recorder.onToolEnd("b", "fine");
    expect(await failures()).toBe(1);
  });

  it("may be known by an object where the framework gave the run no id", () => {
    knowFailure(config, failure);
    expect([knownFailure(config), knownFailure({})]).toEqual([failure, undefined]);
    forgetFailure(config);
    expect(knownFailure(config)).toBeUndefined();
  });

  it("an end of which nothing is known stays as it is", () => {
    const end = { kind: "returned", value: 1 } as const;
    expect(withKnownFailure("a", end)).toBe(end);
  });

  it("is known to all copies of the library, under a name of its version", async () => {
    vi.resetModules();
    const copy = await import("../../src/span/known-failures.ts");
    expect(copy.knowFailure).not.toBe(knowFailure);
    copy.knowFailure("a", failure);
    const shared = (globalThis as Record<symbol, unknown>)[Symbol.for("toolspan.known-failures.v1")];
    const known = [knownFailure("a"), (shared as Map<unknown, unknown> | undefined)?.get("a")];
    copy.forgetFailure("a");
    expect(known).toEqual([failure, failure]);
  });
});
