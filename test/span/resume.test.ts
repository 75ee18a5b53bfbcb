import { describe, expect, it } from "vitest";
import { rememberInterrupted, storeOf } from "../../src/span/registry.ts";
import { said } from "../support/said.ts";
import { traced, unfailed, verdict } from "../support/traced.ts";
import { failingTracer, watched } from "../support/watched.ts";

const lines = said();

const interrupt = () => Object.assign(new Error("wait"), { is_bubble_up: true, interrupts: [] });

/** Runs with these resume keys, one after the other; those with a "?" are interrupted. */
function runs(resumeKeys: readonly (string | undefined)[], test = watched()) {
  for (const [index, key] of resumeKeys.entries()) {
    test.recorder.onToolStart({ key: `r${index}`, name: "t", resumeKey: key?.replace("?", "") });
    if (key?.endsWith("?")) test.recorder.onToolError(`r${index}`, interrupt());
    else test.recorder.onToolEnd(`r${index}`, "fine");
  }
  const ids = test.spans().map((span) => span.spanContext().spanId);
  return test.spans().map(({ links }) => links.map(({ context }) => ids.indexOf(context.spanId)));
}

describe("a run that resumes an interrupted one", () => {
  it("has a link to it, and the next run of the same key has none", () => {
    expect(runs(["k?", "other", "k", "k"])).toEqual([[], [], [0], []]);
  });

  it("may be interrupted again: the next one resumes it", () => {
    expect(runs(["k?", "k?", "k"])).toEqual([[], [0], [1]]);
  });

  it("is none of one that ended", () => {
    expect(runs(["k", "k"])).toEqual([[], []]);
  });

  it("is known by a key: without one nothing is joined", () => {
    const test = watched();
    for (const key of ["r1", "r2"]) {
      test.recorder.onToolStart({ key, name: "t" });
      test.recorder.onToolError(key, interrupt());
    }
    expect(test.spans().map(({ links }) => links)).toEqual([[], []]);
    expect(test.spans().map(verdict)).toEqual([unfailed("interrupted"), unfailed("interrupted")]);
  });

  it("has no link where the tracer failed for the interrupted one, which counts all the same", async () => {
    const test = watched(failingTracer());
    runs(["k?"], test);
    expect((await test.counts()).map(({ attributes }) => attributes["toolspan.outcome"])).toEqual(["interrupted"]);
    expect(lines.splice(0)).toEqual(["toolspan: startSpan failed; said once Error: no span"]);
  });
});

it("the last 1,000 interrupted runs are remembered", () => {
  const { tracerProvider } = traced();
  const store = storeOf(tracerProvider);
  const span = tracerProvider.getTracer("t").startSpan("t");
  for (let index = 0; index <= 1000; index++) rememberInterrupted(store, `k${index}`, span);
  expect([store.interrupted.size, store.interrupted.has("k0"), store.interrupted.has("k1")]).toEqual([
    1000,
    false,
    true,
  ]);
});
