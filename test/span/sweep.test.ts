import { context, trace } from "@opentelemetry/api";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { useFakeClock } from "../support/fake-clock.ts";
import { said } from "../support/said.ts";
import { failed, succeeded, unfailed, useContextManager, verdict } from "../support/traced.ts";
import { watched, watchedAdapter } from "../support/watched.ts";

beforeAll(useContextManager);
useFakeClock();
said();

const abort = () => new DOMException("stopped", "AbortError");
const interrupt = () => Object.assign(new Error("wait"), { is_bubble_up: true, interrupts: [] });
const cancelled = unfailed("cancelled");
const abandoned = unfailed("abandoned");

describe("parents", () => {
  it("a run's span is the child of its nearest ancestor that has one", () => {
    const { recorder, spans } = watched();
    recorder.onToolStart({ key: "outer", name: "outer" });
    recorder.onParentStart({ key: "chain", parentKey: "outer" });
    recorder.onParentStart({ key: "node", parentKey: "chain" });
    recorder.onToolStart({ key: "inner", name: "inner", parentKey: "node" });
    recorder.onToolEnd("inner", "fine");
    recorder.onToolEnd("outer", "fine");
    const [inner, outer] = spans();
    expect(inner!.parentSpanContext?.spanId).toBe(outer!.spanContext().spanId);
    expect(outer!.parentSpanContext).toBeUndefined();
  });

  it("else of the active span", () => {
    const { recorder, onlySpan, tracerProvider } = watched();
    const tracer = tracerProvider.getTracer("app");
    const [root, here] = [tracer.startSpan("root"), tracer.startSpan("here")];
    const inside = (span: typeof root) => trace.setSpan(context.active(), span);
    context.with(inside(root), () => recorder.onParentStart({ key: "p" }));
    context.with(inside(here), () => recorder.onToolStart({ key: "r1", name: "t", parentKey: "p" }));
    recorder.onToolEnd("r1", "fine");
    expect(onlySpan().parentSpanContext?.spanId).toBe(here.spanContext().spanId);
  });

  it("else of the span that was active when the root started", () => {
    const { recorder, onlySpan, tracerProvider } = watched();
    const root = tracerProvider.getTracer("app").startSpan("root");
    context.with(trace.setSpan(context.active(), root), () => recorder.onParentStart({ key: "p" }));
    recorder.onParentStart({ key: "node", parentKey: "p" });
    recorder.onToolStart({ key: "r1", name: "t", parentKey: "node" });
    recorder.onToolEnd("r1", "fine");
    expect(onlySpan().parentSpanContext?.spanId).toBe(root.spanContext().spanId);
  });

  it("an unknown or ended parent leaves the active context", () => {
    const { recorder, spans } = watched();
    recorder.onParentStart({ key: "p" });
    recorder.onParentStart({ key: "p" });
    recorder.onParentEnd("p");
    recorder.onParentEnd("p");
    for (const parentKey of ["p", "never"]) {
      recorder.onToolStart({ key: parentKey + "r", name: "t", parentKey });
      recorder.onToolEnd(parentKey + "r", "fine");
    }
    expect(spans().map(({ parentSpanContext }) => parentSpanContext)).toEqual([undefined, undefined]);
  });
});

describe("a parent that fails while runs are open", () => {
  function open(...keys: string[]) {
    const test = watchedAdapter();
    const hold = (key: string) => test.recorder.hold(key, { kind: "threw", error: abort() });
    test.recorder.onParentStart({ key: "p" });
    for (const key of keys) test.recorder.onToolStart({ key, name: key, parentKey: "p" });
    return { ...test, hold };
  }

  it("its error is the only open run's own", async () => {
    const { recorder, onlySpan, failures } = open("r1");
    recorder.onParentError("p", new TypeError("not a two-tuple"));
    recorder.onToolEnd("r1", "late");
    expect(verdict(onlySpan())).toEqual(failed("TypeError"));
    expect(onlySpan().events).toHaveLength(1);
    vi.useRealTimers();
    expect(await failures()).toBe(1);
  });

  it("not if a child has reported it, wrapped or not", () => {
    const { recorder, spans } = open("r1", "r2");
    const error = new TypeError("no");
    recorder.onToolError("r2", error);
    recorder.onParentError("p", new Error("wrapped", { cause: error }));
    expect(spans()).toHaveLength(1);
    vi.advanceTimersByTime(5000);
    expect(spans().map(verdict)).toEqual([failed("TypeError"), abandoned]);
  });

  it("not if a child has reported it before another error", () => {
    const { recorder, spans } = open("r1", "r2", "r3");
    const [first, second] = [new TypeError("first"), new RangeError("second")];
    recorder.onToolError("r2", first);
    recorder.onToolError("r3", second);
    recorder.onParentError("p", first);
    vi.advanceTimersByTime(5000);
    expect(spans().map(verdict)).toEqual([failed("TypeError"), failed("RangeError"), abandoned]);
  });

  it("a held run is not one of the open ones: it is settled by the end of its own parent", () => {
    const { recorder, hold, spans } = open("r1");
    recorder.onToolStart({ key: "inner", name: "inner", parentKey: "r1" });
    hold("inner");
    recorder.onParentError("p", new TypeError("no"));
    expect(spans().map(verdict)).toEqual([failed("TypeError"), cancelled]);
  });

  it("nor of any once all have ended", () => {
    const { recorder, onlySpan } = open("r1");
    recorder.onParentStart({ key: "node", parentKey: "p" });
    recorder.onToolEnd("r1", "fine");
    recorder.onParentError("p", new TypeError("no"));
    expect(verdict(onlySpan())).toEqual(succeeded);
  });

  it("a second start of it changes nothing", () => {
    const { recorder, onlySpan } = open("r1");
    recorder.onParentStart({ key: "p" });
    recorder.onParentError("p", abort());
    expect(verdict(onlySpan())).toEqual(cancelled);
  });

  it("not if several are open", () => {
    const { recorder, spans } = open("r1", "r2");
    recorder.onParentError("p", new TypeError("no"));
    recorder.onToolEnd("r1", "late");
    vi.advanceTimersByTime(5000);
    expect(spans().map(verdict)).toEqual([succeeded, abandoned]);
  });

  it("a stop is that of all of them", () => {
    const { recorder, spans } = open("r1", "r2");
    recorder.onParentError("p", abort());
    expect(spans().map(verdict)).toEqual([cancelled, cancelled]);
  });

  it("an interrupt is that of the only one", () => {
    const { recorder, onlySpan } = open("r1");
    recorder.onParentError("p", interrupt());
    expect(verdict(onlySpan())).toEqual(unfailed("interrupted"));
  });

  it("only its own descendants are swept, however deep", () => {
    const { recorder, spans } = open("r1");
    recorder.onParentStart({ key: "other" });
    recorder.onToolStart({ key: "r2", name: "r2", parentKey: "other" });
    recorder.onParentStart({ key: "node", parentKey: "r1" });
    recorder.onToolStart({ key: "deep", name: "deep", parentKey: "node" });
    recorder.onParentError("p", abort());
    expect(spans().map(({ name }) => name)).toEqual(["execute_tool deep", "execute_tool r1"]);
    recorder.onToolEnd("r2", "fine");
    expect(spans().map(verdict)).toEqual([cancelled, cancelled, succeeded]);
  });

  it("each of them ends once, also below a held run", async () => {
    const { recorder, hold, spans, counts } = open("r1");
    recorder.onToolStart({ key: "inner", name: "inner", parentKey: "r1" });
    recorder.onToolStart({ key: "deep", name: "deep", parentKey: "inner" });
    hold("r1");
    recorder.onParentError("p", abort());
    expect(spans().map(({ name }) => name)).toEqual(["execute_tool r1", "execute_tool deep", "execute_tool inner"]);
    vi.useRealTimers();
    expect((await counts()).map(({ count }) => count)).toEqual([1, 1, 1]);
  });

  it("a tool run is a parent too", () => {
    const { recorder, spans } = open("outer");
    recorder.onToolStart({ key: "inner", name: "inner", parentKey: "outer" });
    recorder.onToolError("outer", abort());
    expect(spans().map(verdict)).toEqual([cancelled, cancelled]);
  });
});

describe("a parent that ends well while a run is open", () => {
  function orphan() {
    const test = watched();
    test.recorder.onParentStart({ key: "p" });
    test.recorder.onToolStart({ key: "r1", name: "t", parentKey: "p" });
    vi.advanceTimersByTime(1000);
    test.recorder.onParentEnd("p", {});
    expect(vi.getTimerCount()).toBe(1);
    return test;
  }

  it("the run's own end still comes first", () => {
    const { recorder, onlySpan } = orphan();
    vi.advanceTimersByTime(4999);
    recorder.onToolError("r1", new Error("no"));
    vi.advanceTimersByTime(60_000);
    expect(verdict(onlySpan())).toEqual(failed("Error"));
  });

  it("else it is abandoned after five seconds, as of its parent's end", async () => {
    const { recorder, spans, onlySpan, counts } = orphan();
    vi.advanceTimersByTime(4999);
    expect(spans()).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(verdict(onlySpan())).toEqual(abandoned);
    recorder.onToolEnd("r1", "late");
    vi.useRealTimers();
    expect(await counts()).toMatchObject([{ count: 1, sum: 1 }]);
  });

  it("or at shutdown, at once", () => {
    const { recorder, onlySpan } = orphan();
    recorder.shutdown();
    expect(verdict(onlySpan())).toEqual(abandoned);
  });

  it("a second parent's end does not move the moment", async () => {
    const { recorder, spans, counts } = watched();
    recorder.onParentStart({ key: "p" });
    recorder.onToolStart({ key: "outer", name: "outer", parentKey: "p" });
    recorder.onToolStart({ key: "inner", name: "inner", parentKey: "outer" });
    recorder.onParentEnd("p");
    vi.advanceTimersByTime(3000);
    recorder.onToolEnd("outer", "fine");
    vi.advanceTimersByTime(2000);
    expect(spans().map(verdict)).toEqual([succeeded, abandoned]);
    vi.useRealTimers();
    expect((await counts()).map(({ sum }) => Math.round(sum))).toEqual([3, 0]);
  });

  it("each run has its own five seconds, and is found within another five", () => {
    const { recorder, spans } = watched();
    for (const key of ["1", "2"]) {
      recorder.onParentStart({ key: `p${key}` });
      recorder.onToolStart({ key: `r${key}`, name: `t${key}`, parentKey: `p${key}` });
      recorder.onParentEnd(`p${key}`);
      vi.advanceTimersByTime(3000);
    }
    expect(spans().map(({ name }) => name)).toEqual(["execute_tool t1"]);
    vi.advanceTimersByTime(4000);
    expect(spans().map(({ name }) => name)).toEqual(["execute_tool t1", "execute_tool t2"]);
  });
});

describe("limits", () => {
  it("beyond openRuns the oldest is closed as abandoned; its end still counts, once", async () => {
    const { recorder, spans, counts } = watched({ limits: { openRuns: 2 } });
    for (const key of ["r1", "r2", "r3"]) {
      recorder.onToolStart({ key, name: key });
      vi.advanceTimersByTime(1000);
    }
    expect(spans().map(({ name }) => name)).toEqual(["execute_tool r1"]);
    expect(spans().map(verdict)).toEqual([abandoned]);
    recorder.onToolError("r1", new Error("late"));
    recorder.onToolError("r1", new Error("again"));
    recorder.onToolEnd("r2", "fine");
    recorder.onToolEnd("r3", "fine");
    vi.useRealTimers();
    expect(spans()).toHaveLength(3);
    const seen = (await counts()).map(({ attributes, count, sum }) => [
      attributes["gen_ai.tool.name"],
      attributes["toolspan.outcome"],
      count,
      Math.round(sum),
    ]);
    expect(seen).toEqual([
      ["r1", "error", 1, 3],
      ["r2", "ok", 1, 2],
      ["r3", "ok", 1, 1],
    ]);
  });

  it("an evicted run whose end never comes is counted as abandoned at shutdown", async () => {
    const { recorder, counts } = watched({ limits: { openRuns: 1 } });
    for (const key of ["r1", "r2"]) recorder.onToolStart({ key, name: "t" });
    recorder.shutdown();
    vi.useRealTimers();
    expect(await counts()).toMatchObject([{ count: 2, attributes: { "toolspan.outcome": "abandoned" } }]);
  });

  it("an evicted run whose key starts anew is counted then", async () => {
    const { recorder, counts } = watched({ limits: { openRuns: 2 } });
    for (const key of ["r1", "r2", "r3", "r1"]) recorder.onToolStart({ key, name: key });
    recorder.onToolEnd("r1", "fine");
    vi.useRealTimers();
    expect((await counts()).map(({ attributes, count }) => [attributes["toolspan.outcome"], count])).toEqual([
      ["abandoned", 1],
      ["ok", 1],
    ]);
  });

  it.each([
    ["whose end came", ["r1", "r2"]],
    ["that was given up", ["r1", "r2", "r3"]],
  ])("an evicted run %s is known as ended long after", async (_title, keys) => {
    const { recorder, spans, failures } = watched({ limits: { openRuns: 1 } });
    recorder.onToolStart({ key: keys[0]!, name: "t" });
    for (let index = 0; index < 5000; index++) recorder.run({ name: "t" }, () => 7);
    for (const key of keys.slice(1)) recorder.onToolStart({ key, name: "t" });
    const before = spans().length;
    for (let many = 0; many < 2; many++) recorder.onToolError("r1", new Error("late"));
    vi.useRealTimers();
    expect(spans()).toHaveLength(before);
    expect(await failures()).toBe(keys.length === 2 ? 1 : 0);
  });

  it("evicted runs are bounded too: the oldest is counted and forgotten", async () => {
    const { recorder, counts } = watched({ limits: { openRuns: 1 } });
    for (const key of ["r1", "r2", "r3"]) recorder.onToolStart({ key, name: "t" });
    vi.useRealTimers();
    expect(await counts()).toMatchObject([{ count: 1, attributes: { "toolspan.outcome": "abandoned" } }]);
  });

  it("children of an evicted run are orphans", () => {
    const { recorder, spans } = watched({ limits: { openRuns: 2 } });
    recorder.onToolStart({ key: "outer", name: "outer" });
    recorder.onToolStart({ key: "inner", name: "inner", parentKey: "outer" });
    recorder.onToolStart({ key: "next", name: "next" });
    vi.advanceTimersByTime(5000);
    expect(spans().map(({ name }) => name)).toEqual(["execute_tool outer", "execute_tool inner"]);
  });

  it("expired runs go first, at the next start", () => {
    const { recorder, spans } = watched({ limits: { openRuns: 2, runTimeoutMs: 1000 } });
    recorder.onToolStart({ key: "r1", name: "r1" });
    vi.advanceTimersByTime(1000);
    recorder.onToolStart({ key: "r2", name: "r2" });
    expect(spans()).toEqual([]);
    vi.advanceTimersByTime(1);
    recorder.onToolStart({ key: "r3", name: "r3" });
    expect(spans().map(({ name }) => name)).toEqual(["execute_tool r1"]);
  });

  it("expired runs go within a minute also when nothing else happens", () => {
    const { recorder, spans } = watched({ limits: { runTimeoutMs: 90_000 } });
    recorder.onToolStart({ key: "r1", name: "t" });
    vi.advanceTimersByTime(90_000);
    expect(spans()).toEqual([]);
    vi.advanceTimersByTime(60_000);
    expect(spans().map(verdict)).toEqual([abandoned]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("parents without an end expire, at the next parent's start", () => {
    const { recorder, spans } = watched({ limits: { runTimeoutMs: 10_000 } });
    recorder.onParentStart({ key: "p1" });
    vi.advanceTimersByTime(9000);
    recorder.onToolStart({ key: "r1", name: "r1", parentKey: "p1" });
    vi.advanceTimersByTime(1000);
    recorder.onParentStart({ key: "p2" });
    vi.advanceTimersByTime(1);
    recorder.onParentStart({ key: "p3" });
    recorder.onParentError("p1", abort());
    expect(spans()).toEqual([]);
    vi.advanceTimersByTime(5000);
    expect(spans().map(verdict)).toEqual([abandoned]);
  });

  it("parents without an end are bounded", () => {
    const { recorder, spans } = watched({ limits: { openRuns: 2 } });
    recorder.onParentStart({ key: "p1" });
    recorder.onToolStart({ key: "r1", name: "r1", parentKey: "p1" });
    recorder.onParentStart({ key: "p2" });
    recorder.onParentStart({ key: "p3" });
    recorder.onParentError("p1", abort());
    expect(spans()).toEqual([]);
    vi.advanceTimersByTime(5000);
    expect(spans().map(verdict)).toEqual([abandoned]);
  });

  it("parents that are neither too old nor too many are kept", () => {
    const { recorder, onlySpan } = watched({ limits: { openRuns: 2, runTimeoutMs: 100 } });
    recorder.onParentStart({ key: "p1" });
    recorder.onToolStart({ key: "r1", name: "r1", parentKey: "p1" });
    recorder.onParentStart({ key: "p2" });
    recorder.onParentError("p1", abort());
    expect(verdict(onlySpan())).toEqual(cancelled);
  });

  it("no timer keeps Node alive", () => {
    vi.useRealTimers();
    const before = process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const { recorder } = watched();
    recorder.onParentStart({ key: "p" });
    recorder.onToolStart({ key: "r1", name: "t", parentKey: "p" });
    recorder.onParentEnd("p");
    expect(process.getActiveResourcesInfo().filter((name) => name === "Timeout")).toHaveLength(before);
    recorder.shutdown();
  });
});
