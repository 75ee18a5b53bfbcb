/** The judged situations as tests, for one way of watching. */
import * as tools from "@langchain/core/tools";
import { context, SpanKind, trace } from "@opentelemetry/api";
import { afterEach, expect, it } from "vitest";
import { instrumentLangChain, ToolspanHandler } from "../../src/adapters/langchain.ts";
import type { RecorderOptions } from "../../src/index.ts";
import { agentOf, ask, makeTool, toolCall } from "./agent.ts";
import type { Config, Mode } from "./situations.ts";
import { ClassTool, isPlayable, settle, situations, sleep } from "./situations.ts";
import type { Traced } from "./traced.ts";
import { traced, verdict } from "./traced.ts";

export interface Watched extends Traced {
  readonly config: Config;
  readonly callbacks: object[];
  /** Nothing more will come. */
  finish(): void;
}

const undoing: (() => void)[] = [];

/** The application watched in one way or both, with providers of its own, until the end of the test. */
export function watched(mode: Mode, options: RecorderOptions = {}): Watched {
  const test = traced();
  const given = { tracerProvider: test.tracerProvider, meterProvider: test.meterProvider, ...options };
  if (mode !== "handler") undoing.push(instrumentLangChain(tools, given));
  const handlers = mode === "wrap" ? [] : [new ToolspanHandler(given)];
  return {
    ...test,
    callbacks: handlers,
    config: handlers.length > 0 ? { callbacks: handlers } : {},
    finish: () => handlers.forEach((handler) => handler.shutdown()),
  };
}

export function unwatch(): void {
  for (const undo of undoing.splice(0)) undo();
}

export function judgeSituations(mode: Mode): void {
  afterEach(unwatch);

  for (const [id, title, right, run, sees] of situations) {
    const wanted = sees?.[mode] ?? right;
    it.skipIf(!isPlayable(id))(`${id}: ${title}`, async () => {
      const { config, spans, counts, finish } = watched(mode);
      await settle(() => run(config));
      finish();
      expect(spans().map(verdict)).toEqual(wanted);
      expect((await counts()).reduce((sum, { count }) => sum + count, 0)).toBe(wanted.length);
    });
  }

  it("17b: the tool span nests under the caller's active span", async () => {
    const { config, onlySpan, allSpans, tracerProvider } = watched(mode);
    const caller = tracerProvider.getTracer("caller").startSpan("caller");
    await context.with(trace.setSpan(context.active(), caller), () =>
      agentOf([makeTool(() => "fine")]).invoke(ask, config),
    );
    // A handler draws the agent between them.
    const agent = allSpans().find(({ name }) => name === "invoke_agent");
    const above = agent && onlySpan().parentSpanContext?.spanId === agent.spanContext().spanId ? agent : onlySpan();
    expect(agent !== undefined).toBe(mode !== "wrap");
    expect(above.parentSpanContext?.spanId).toBe(caller.spanContext().spanId);
  });

  it.each([
    ["17c", "20 concurrent callers of 5 tools", 0],
    ["17d", "the same beside another handler that awaits 2 ms", 2],
  ])("%s: %s: each tool span in its own caller's trace", async (_id, _title, pause) => {
    const { callbacks: own, tracerProvider, spans } = watched(mode);
    const tracer = tracerProvider.getTracer("caller");
    const slow = { name: "slow", handleToolStart: () => sleep(pause), handleToolEnd: () => sleep(pause) };
    const callbacks = pause > 0 ? [slow, ...own] : own;
    const traceOf = new Map<string, string>();
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        tracer.startActiveSpan(`caller ${index}`, async (caller) => {
          traceOf.set(`t${index}`, caller.spanContext().traceId);
          const one = makeTool(() => sleep(1), { name: `t${index}` });
          await Promise.all(Array.from({ length: 5 }, () => one.invoke({ q: "x" }, { callbacks })));
          caller.end();
        }),
      ),
    );
    const toolSpans = spans().filter((span) => span.name.startsWith("execute_tool"));
    expect(toolSpans).toHaveLength(100);
    for (const span of toolSpans)
      expect(span.spanContext().traceId).toBe(traceOf.get(String(span.attributes["gen_ai.tool.name"])));
  });

  it.each([
    ["19", "alone", false],
    ["19b", "beside a handler that keeps LangChain's callback queue busy", true],
  ])("%s: the duration of a tool that blocks 60 ms, %s", async (_id, _title, busy) => {
    const { callbacks, onlySpan } = watched(mode);
    const slow = { name: "slow", handleToolStart: () => sleep(40), handleToolEnd: () => sleep(40) };
    const blocking = makeTool(() => {
      for (const end = performance.now() + 60; performance.now() < end;);
    });
    await blocking.invoke({ q: "x" }, { callbacks: busy ? [slow, ...callbacks] : callbacks });
    const [seconds, nanoseconds] = onlySpan().duration;
    expect(seconds * 1000 + nanoseconds / 1e6).toBeGreaterThanOrEqual(59);
  });

  it("20: span name and attributes carry the tool's name", async () => {
    const { config, onlySpan } = watched(mode);
    await makeTool(() => "fine", { name: "search" }).invoke(toolCall("search", { q: "x" }, "call_7"), config);
    expect(onlySpan()).toMatchObject({
      name: "execute_tool search",
      kind: SpanKind.INTERNAL,
      attributes: {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "search",
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": "call_7",
      },
    });
  });

  it("21: a class tool's span carries its name, whether it is called by the model or by hand", async () => {
    const { config, spans, counts } = watched(mode);
    await new ClassTool().invoke(toolCall("class_tool"), config);
    expect(spans()[0]!.name).toBe("execute_tool class_tool");
    expect(spans()[0]!.attributes["gen_ai.tool.name"]).toBe("class_tool");
    expect((await counts())[0]!.attributes["gen_ai.tool.name"]).toBe("class_tool");
    // Without a call id no answer tells the name: a handler then knows the class alone.
    await new ClassTool().invoke({ q: "x" }, config);
    expect(spans()[1]!.name).toBe(mode === "handler" ? "execute_tool ClassTool" : "execute_tool class_tool");
  });

  it("22: the user's own handler still gets its callbacks", async () => {
    const { callbacks } = watched(mode);
    const seen: string[] = [];
    const own = {
      name: "own",
      awaitHandlers: true,
      handleToolStart: () => void seen.push("start"),
      handleToolEnd: () => void seen.push("end"),
    };
    await agentOf([makeTool(() => "fine")]).invoke(ask, { callbacks: [...callbacks, own] });
    expect(seen).toEqual(["start", "end"]);
  });

  it("17a: a span made inside the tool nests under the tool's", async () => {
    const { config, spans, tracerProvider } = watched(mode);
    const inside = makeTool(() => tracerProvider.getTracer("tool").startSpan("inside").end());
    await inside.invoke({ q: "x" }, config);
    const [inner, outer] = spans();
    expect([inner!.name, outer!.name]).toEqual(["inside", "execute_tool t"]);
    // A callback cannot make its span active.
    expect(inner!.parentSpanContext?.spanId).toBe(mode === "handler" ? undefined : outer!.spanContext().spanId);
  });
}
