import { context, createContextKey, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { beforeAll, describe, expect, it } from "vitest";
import type { CallFacts, ToolCall } from "../../src/core/call.ts";
import { SUPPRESS_TRACING } from "../../src/span/start-run.ts";
import { said } from "../support/said.ts";
import { failed, succeeded, traced, unfailed, useContextManager, verdict } from "../support/traced.ts";
import { failingTracer, watchedAdapter } from "../support/watched.ts";

beforeAll(useContextManager);
const lines = said();

const threw = (error: unknown) => ({ kind: "threw", error }) as const;
const returned = (value: unknown) => ({ kind: "returned", value }) as const;

describe("the end of an entered run", () => {
  it("is nothing new where an event has ended it, however many others ended since", async () => {
    const { recorder, spans, counts } = watchedAdapter();
    recorder.onToolStart({ key: "1", name: "t" });
    const entered = recorder.enter({ key: "1", name: "t" })!;
    recorder.onToolEnd("1", "fine");
    for (let other = 0; other < 5000; other += 1) recorder.run({ name: "other" }, () => 0);
    entered.end(threw(new Error("late")));
    entered.end(threw(new Error("late")), { isHeld: true });
    expect(
      spans()
        .filter(({ name }) => name === "execute_tool t")
        .map(verdict),
    ).toEqual([succeeded]);
    expect((await counts()).reduce((sum, { count }) => sum + count, 0)).toBe(5001);
  });

  it("is the run's only one where an event of it comes after all", () => {
    const { recorder, onlySpan } = watchedAdapter();
    recorder.enter({ key: "1", name: "t" })!.end(returned("fine"));
    recorder.onToolError("1", new Error("late"));
    expect(verdict(onlySpan())).toEqual(succeeded);
  });

  it("still counts where the run had to make room", async () => {
    const { recorder, spans, failures } = watchedAdapter({ limits: { openRuns: 1 } });
    const first = recorder.enter({ key: "1", name: "t" })!;
    recorder.enter({ key: "2", name: "t" })!.end(returned("fine"));
    first.end(threw(new RangeError("no")));
    expect(spans().map(verdict)).toEqual([unfailed("abandoned"), succeeded]);
    expect(await failures()).toBe(1);
  });

  it("waits for the parent's only where it is held", () => {
    const { recorder, spans } = watchedAdapter({}, (runs) => runs.map(() => ({ outcome: { kind: "denied" } })));
    recorder.onParentStart({ key: "p" });
    const [now, later] = ["now", "later"].map((key) => recorder.enter({ key, name: key, parentKey: "p" })!);
    later!.end(returned("fine"), { isHeld: true });
    now!.end(returned("fine"));
    expect(spans().map(({ name }) => name)).toEqual(["execute_tool now"]);
    recorder.onParentEnd("p");
    expect(spans().map(verdict)).toEqual([succeeded, unfailed("denied")]);
  });

  it("of a run that nobody else knows takes no room in the memory of ended runs", () => {
    const { recorder, spans } = watchedAdapter();
    recorder.onToolStart({ key: "1", name: "t" });
    recorder.onToolEnd("1", "fine");
    for (let other = 0; other < 5000; other += 1)
      recorder.enter({ key: Symbol("other"), name: "other" })!.end(returned(0));
    const before = spans().length;
    recorder.onToolError("1", new Error("late"));
    expect(spans()).toHaveLength(before);
  });
});

it("what was seen fails the run whoever ends it, and never mends a failure", () => {
  const { recorder, spans } = watchedAdapter();
  const seen = { isError: true, content: [{ type: "text", text: "no" }] };
  for (const key of ["1", "2"]) recorder.enter({ key, name: "t" })!.saw(["fine", seen]);
  recorder.onToolEnd("1", "fine");
  recorder.onToolError("2", new RangeError("out"));
  expect(spans().map(verdict)).toEqual([failed("tool_error"), failed("RangeError")]);
});

it("nothing is entered after shutdown, nor where tracing is switched off", () => {
  const { recorder } = watchedAdapter();
  const call = { key: "1", name: "t" };
  expect(context.with(ROOT_CONTEXT.setValue(SUPPRESS_TRACING, true), () => recorder.enter(call))).toBeUndefined();
  recorder.shutdown();
  expect(recorder.enter(call)).toBeUndefined();
});

describe("inside", () => {
  const active = () => trace.getSpan(context.active());

  it("the run's span is active, in the context of the moment", () => {
    const { recorder, onlySpan } = watchedAdapter();
    const key = createContextKey("the caller's");
    const entered = recorder.enter({ key: "1", name: "t" })!;
    const seen = context.with(context.active().setValue(key, "here"), () =>
      entered.active(() => [active()?.spanContext().spanId, context.active().getValue(key)]),
    );
    entered.end(returned("fine"));
    expect(seen).toEqual([onlySpan().spanContext().spanId, "here"]);
  });

  it("one context serves all steps, for a copy would cost more than the rest of a step", () => {
    const { recorder } = watchedAdapter();
    const entered = recorder.enter({ key: "1", name: "t" })!;
    const [first, second] = [1, 2].map(() => entered.active(() => context.active()));
    expect(first).not.toBe(context.active());
    expect(second).toBe(first);
  });

  it("the caller's span stays active where the tracer failed", () => {
    const { recorder } = watchedAdapter(failingTracer());
    const span = traced().tracerProvider.getTracer("app").startSpan("app");
    const seen = context.with(trace.setSpan(context.active(), span), () =>
      recorder.enter({ key: "1", name: "t" })!.active(active),
    );
    expect(seen).toBe(span);
    expect(lines.splice(0)).toEqual(["toolspan: startSpan failed; said once Error: no span"]);
  });
});

describe("what starts in the body of an entered run", () => {
  /** An agent, and a tool in it that a wrap stands round. */
  function entered() {
    const test = watchedAdapter();
    const { recorder, spans, allSpans } = test;
    recorder.onParentStart({ key: "agent", drawing: { kind: "agent" } });
    recorder.onParentStart({ key: "node", parentKey: "agent", data: "the node's" });
    const run = recorder.enter({ key: "1", name: "outer", parentKey: "node" })!;
    const parentOf = (name: string): string | undefined => {
      const { parentSpanContext } = spans().find((span) => span.name === `execute_tool ${name}`)!;
      return allSpans().find((span) => span.spanContext().spanId === parentSpanContext?.spanId)?.name;
    };
    const finish = (): void => {
      run.end(returned("fine"));
      recorder.onParentEnd("node");
      recorder.onParentEnd("agent");
    };
    return { recorder, run, allSpans, parentOf, finish };
  }

  it("is below it, where the framework tells a parent of it", () => {
    const { recorder, run, parentOf, finish } = entered();
    const data = run.active(() => {
      recorder.run({ name: "inner", parentKey: "node" }, () => 1);
      return recorder.dataAbove("node");
    });
    finish();
    expect([parentOf("inner"), data]).toEqual(["execute_tool outer", undefined]);
    expect(parentOf("outer")).toBe("invoke_agent");
  });

  it("ends with it", () => {
    const { recorder, run, finish, allSpans } = entered();
    run.active(() => recorder.onToolStart({ key: "2", name: "inner", parentKey: "node" }));
    run.end(threw(new DOMException("stop", "AbortError")));
    expect(allSpans().map((span) => [span.name, verdict(span).outcome])).toEqual([
      ["execute_tool outer", "cancelled"],
      ["execute_tool inner", "cancelled"],
    ]);
    finish();
  });

  it("is below what is told, where that is another's", () => {
    const { recorder, run, parentOf, finish } = entered();
    recorder.onToolStart({ key: "2", name: "other", parentKey: "node" });
    run.active(() => recorder.run({ name: "inner", parentKey: "2" }, () => 1));
    recorder.onToolEnd("2", "fine");
    finish();
    expect(parentOf("inner")).toBe("execute_tool other");
  });

  it("is below what is told, where the run has ended and the work goes on", () => {
    const { recorder, run, parentOf, finish } = entered();
    run.end(returned("fine"));
    const data = run.active(() => {
      recorder.run({ name: "late", parentKey: "node" }, () => 1);
      return recorder.dataAbove("node");
    });
    finish();
    expect([parentOf("late"), data]).toEqual(["invoke_agent", "the node's"]);
  });

  it("is not opened anew where its end was told before its body began", async () => {
    const { recorder, onlySpan, counts } = watchedAdapter();
    recorder.onToolStart({ key: "1", name: "t" });
    recorder.onToolError("1", new DOMException("stop", "AbortError"));
    expect(recorder.enter({ key: "1", name: "t" })).toBeUndefined();
    expect(verdict(onlySpan())).toEqual(unfailed("cancelled"));
    expect((await counts()).map(({ count }) => count)).toEqual([1]);
  });
});

describe("what an entered run is told of a call that an event has told of", () => {
  const { signal } = new AbortController();
  const told = { callId: "c1", description: "finds", agentName: "desk", signal, args: 1, attempt: 2 } as const;
  const others = { callId: "c2", description: "seeks", agentName: "main", signal: AbortSignal.abort(), args: 2 };

  /** The call as it is known when the run ends, and the run's span. */
  function joined(event: Partial<ToolCall>, wrap: Partial<ToolCall>) {
    const known: CallFacts[] = [];
    const { recorder, onlySpan } = watchedAdapter({ isFailure: (_value, call) => (known.push(call), false) });
    recorder.onToolStart({ key: "1", name: "t", ...event });
    recorder.enter({ key: "1", name: "t", ...wrap })!.end(returned("fine"));
    return { call: known[0], span: onlySpan() };
  }

  it("fills in what the event left open, on the span too", () => {
    const { call, span } = joined({}, told);
    expect(call).toMatchObject({ callId: "c1", description: "finds" });
    expect(call!.signal).toBe(signal);
    expect(span.attributes).toMatchObject({ "gen_ai.tool.call.id": "c1", "gen_ai.tool.description": "finds" });
  });

  it("changes nothing that the event told", () => {
    const { call, span } = joined(told, others);
    expect(call).toMatchObject(told);
    expect(span.attributes).toMatchObject({ "gen_ai.tool.call.id": "c1", "gen_ai.tool.description": "finds" });
    expect(call!.signal).toBe(signal);
    expect(joined(told, {}).call).toEqual(call);
  });

  it("except the name, which the event may have taken from the run or the class", () => {
    const { call, span } = joined({ name: "ClassName", isStandIn: true }, { name: "search" });
    expect(call).toMatchObject({ name: "search", isStandIn: false });
    expect(span.name).toBe("execute_tool search");
    expect(span.attributes["gen_ai.tool.name"]).toBe("search");
    expect(joined({ name: "search" }, { name: "" }).span.name).toBe("execute_tool search");
  });

  it("makes nothing up: neither an agent for a call of none, nor an empty text", () => {
    expect(joined({}, others).call).toMatchObject({ agentName: undefined });
    const { attributes } = joined({}, { callId: "", description: "" }).span;
    expect(attributes).not.toHaveProperty("gen_ai.tool.call.id");
    expect(attributes).not.toHaveProperty("gen_ai.tool.description");
  });

  it("leaves a name alone that somebody else gave the span, unless it knows a better one", () => {
    const { recorder, onlySpan } = watchedAdapter();
    const call = { key: "1", name: "t" };
    recorder.enter(call)!.active(() => trace.getActiveSpan()!.updateName("mine"));
    recorder.enter(call)!.end(returned("fine"));
    expect(onlySpan().name).toBe("mine");
  });

  it("is kept without a span, and nothing is said of it but that the tracer failed", async () => {
    const { recorder, counts } = watchedAdapter(failingTracer());
    recorder.onToolStart({ key: "1", name: "ClassName", isStandIn: true });
    recorder.enter({ key: "1", name: "t" })!.end(returned("fine"));
    expect((await counts()).map(({ attributes }) => attributes["gen_ai.tool.name"])).toEqual(["t"]);
    expect(lines.splice(0)).toHaveLength(1);
  });
});

it("a run that is opened by entering it is what was told: a name that is a stand-in stays one", () => {
  const { recorder, onlySpan } = watchedAdapter();
  const answer = { type: "tool", tool_call_id: "c1", name: "search", content: "" };
  recorder.enter({ key: "1", name: "ClassName", isStandIn: true })!.end(returned(answer));
  expect(onlySpan().name).toBe("execute_tool search");
});

describe("the context inside", () => {
  it("is that of the moment, with what was put into it since the start", () => {
    const { recorder } = watchedAdapter();
    const entered = recorder.enter({ key: "1", name: "t" })!;
    const mine = Symbol("mine");
    const seen = () => entered.active(() => context.active().getValue(mine));
    expect(context.with(context.active().setValue(mine, 1), seen)).toBe(1);
    expect(seen()).toBeUndefined();
  });

  it("keeps a span of the tool's own between the run and what it starts", () => {
    const { recorder, tracerProvider, spans } = watchedAdapter();
    const entered = recorder.enter({ key: "1", name: "outer" })!;
    entered.active(() =>
      tracerProvider.getTracer("tool").startActiveSpan("own", (own) => {
        recorder.onToolStart({ key: "2", name: "inner", parentKey: "1" });
        recorder.onToolEnd("2", "fine");
        own.end();
      }),
    );
    const [inner, own] = spans();
    expect(inner!.parentSpanContext?.spanId).toBe(own!.spanContext().spanId);
  });

  it("bears the mark by which copies of the library find the run", () => {
    const { recorder } = watchedAdapter();
    const entered = recorder.enter({ key: "1", name: "t" })!;
    const mark = Symbol.for("toolspan.entered.v1");
    expect(entered.active(() => context.active().getValue(mark))).toMatchObject({ key: "1" });
    expect(context.active().getValue(mark)).toBeUndefined();
  });
});
