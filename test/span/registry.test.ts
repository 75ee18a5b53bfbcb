import { describe, expect, it } from "vitest";
import { isSettled, markSettled, storeOf } from "../../src/span/registry.ts";
import { said } from "../support/said.ts";
import { watched } from "../support/watched.ts";

said();

describe("the registry", () => {
  it("is shared by all copies of the library, under a name of its version", () => {
    const { recorder, tracerProvider } = watched();
    recorder.onToolStart({ key: "r1", name: "t" });
    const stores = (globalThis as Record<symbol, unknown>)[Symbol.for("toolspan.registry.v1")];
    expect((stores as WeakMap<object, unknown>).get(tracerProvider)).toBe(storeOf(tracerProvider));
  });

  it("keeps nothing of what ended, under a parent that lives on", () => {
    const { recorder, tracerProvider } = watched();
    const store = storeOf(tracerProvider);
    recorder.onParentStart({ key: "p" });
    recorder.onToolStart({ key: "r1", name: "t", parentKey: "p" });
    recorder.onParentStart({ key: "q", parentKey: "p" });
    const parent = store.scopes.get("p")!;
    expect([...parent.children!].map(({ key }) => key)).toEqual(["r1", "q"]);
    recorder.onToolEnd("r1", "fine");
    recorder.onParentEnd("q");
    expect(parent.children!.size).toBe(0);
    expect([store.runs.size, store.scopes.size]).toEqual([0, 1]);
  });

  it("remembers the last 64 errors told below a parent", () => {
    const { recorder, tracerProvider } = watched();
    recorder.onParentStart({ key: "p" });
    const errors = Array.from({ length: 100 }, (_, index) => new Error(`e${index}`));
    for (const [index, error] of errors.entries()) {
      recorder.onToolStart({ key: `r${index}`, name: "t", parentKey: "p" });
      recorder.onToolError(`r${index}`, error);
    }
    expect([...storeOf(tracerProvider).scopes.get("p")!.reported!]).toEqual(errors.slice(-64));
  });
});

describe("the memory of ended runs", () => {
  it("holds at least the last 2,048 keys, never more than twice as many", () => {
    const store = storeOf({});
    const sizes = Array.from({ length: 10_000 }, (_, index) => {
      markSettled(store, `r${index}`);
      return store.settled.size + store.settledBefore.size;
    });
    const known = Array.from({ length: 10_000 }, (_, index) => isSettled(store, `r${index}`));
    expect(known.slice(-2048)).not.toContain(false);
    expect(known[0]).toBe(false);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(2 * 2048);
  });
});
