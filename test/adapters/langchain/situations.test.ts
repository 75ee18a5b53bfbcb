/**
 * The situations in which tracers were compared (46 judged), live: real LangChain, LangGraph and MCP adapters. The numbers
 * are those of that comparison. What no callback shows is in the last block, by name.
 */
import { ToolMessage } from "@langchain/core/messages";
import { StructuredTool, tool } from "@langchain/core/tools";
import { Command, interrupt, MemorySaver, MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { context, SpanKind, trace } from "@opentelemetry/api";
import { createMiddleware, toolRetryMiddleware } from "langchain";
import { beforeAll, describe, expect, it } from "vitest";
import { ToolspanHandler } from "../../../src/adapters/langchain.ts";
import { agentOf, answer, ask, asks, done, fails, makeTool, mcpTools, schema, toolCall } from "../../support/agent.ts";
import { said } from "../../support/said.ts";
import { failed, succeeded, traced, unfailed, useContextManager, verdict } from "../../support/traced.ts";

beforeAll(useContextManager);
said();

type Handlers = { callbacks: [ToolspanHandler] };
type Situation = readonly [id: string, title: string, wanted: readonly object[], run: (config: Handlers) => unknown];

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const node = (tools: ConstructorParameters<typeof ToolNode>[0], options = {}) => new ToolNode(tools, options);
const asked = { messages: [asks(toolCall("t"))] };
const throwing = (error: unknown) =>
  makeTool(() => {
    throw error;
  });
const quick = { initialDelayMs: 1, maxDelayMs: 2, jitter: false };

const parentGraph = new StateGraph(MessagesAnnotation)
  .addNode("leave", async () => new Command({ graph: Command.PARENT, goto: "other" }), { ends: [] })
  .addEdge("__start__", "leave")
  .compile();

class ClassTool extends StructuredTool {
  name = "class_tool";
  description = "d";
  schema = schema;
  async _call({ q }: { q: string }): Promise<string> {
    return q;
  }
}

const situations: readonly Situation[] = [
  ["1", "success", [succeeded], (config) => makeTool(() => "fine").invoke(toolCall("t"), config)],
  [
    "2",
    "tool throws Error, direct invoke",
    [failed("TypeError")],
    (config) => throwing(new TypeError("no")).invoke({ q: "x" }, config),
  ],
  ["2b", "tool throws a string", [failed("_OTHER")], (config) => throwing("no").invoke({ q: "x" }, config)],
  ["2c", "tool throws undefined", [failed("_OTHER")], (config) => throwing(undefined).invoke({ q: "x" }, config)],
  ["3a", "throws inside ToolNode, handled", [failed("Error")], (config) => node([fails()]).invoke(asked, config)],
  ["3b", "throws inside createAgent", [failed("Error")], (config) => agentOf([fails()]).invoke(ask, config)],
  [
    "3c",
    "throws inside ToolNode, unhandled",
    [failed("Error")],
    (config) => node([fails()], { handleToolErrors: false }).invoke(asked, config),
  ],
  [
    "4a",
    "returns ToolMessage error, tool-call invoke",
    [failed("tool_error")],
    (config) => makeTool((_, call) => answer("error", call)).invoke(toolCall("t"), config),
  ],
  [
    "4b",
    "returns ToolMessage error, plain arguments",
    [failed("tool_error")],
    (config) => makeTool((_, call) => answer("error", call)).invoke({ q: "x" }, config),
  ],
  [
    "4c",
    "returns ToolMessage error, in createAgent",
    [failed("tool_error")],
    (config) => agentOf([makeTool((_, call) => answer("error", call))]).invoke(ask, config),
  ],
  [
    "4d",
    "returns ToolMessage success",
    [succeeded],
    (config) => makeTool((_, call) => answer("success", call)).invoke(toolCall("t"), config),
  ],
  [
    "5a",
    "returns Command with ToolMessage error",
    [failed("tool_error")],
    (config) =>
      makeTool((_, call) => new Command({ update: { messages: [answer("error", call)] } })).invoke(
        toolCall("t"),
        config,
      ),
  ],
  [
    "5b",
    "returns Command with ToolMessage success",
    [succeeded],
    (config) =>
      makeTool((_, call) => new Command({ update: { messages: [answer("success", call)] } })).invoke(
        toolCall("t"),
        config,
      ),
  ],
  [
    "6a",
    "content_and_artifact, throws",
    [failed("Error")],
    (config) =>
      tool(async () => Promise.reject(new Error("boom")), {
        name: "t",
        description: "d",
        schema,
        responseFormat: "content_and_artifact",
      }).invoke(toolCall("t"), config),
  ],
  [
    "6b",
    "content_and_artifact, [ToolMessage error, artifact]",
    [failed("tool_error")],
    (config) =>
      makeTool((_, call) => [answer("error", call), { rows: 1 }], { responseFormat: "content_and_artifact" }).invoke(
        toolCall("t"),
        config,
      ),
  ],
  [
    "7",
    "wrapToolCall middleware catches, returns ToolMessage error",
    [failed("Error")],
    (config) => agentOf([fails()], { middleware: [catching] }).invoke(ask, config),
  ],
  [
    "8",
    "interrupt() inside a tool",
    [unfailed("interrupted")],
    (config) =>
      agentOf([makeTool(() => interrupt("?"))], { checkpointer: new MemorySaver() }).invoke(ask, {
        ...config,
        configurable: { thread_id: "1" },
      }),
  ],
  [
    "9a",
    "returns Command graph=PARENT",
    [succeeded],
    (config) =>
      makeTool(
        (_, call) =>
          new Command({ graph: Command.PARENT, goto: "other", update: { messages: [answer("success", call)] } }),
      ).invoke(toolCall("t"), config),
  ],
  [
    "9b",
    "ParentCommand thrown through the tool",
    [unfailed("handoff")],
    (config) => agentOf([makeTool(async (_, call) => parentGraph.invoke({ messages: [] }, call))]).invoke(ask, config),
  ],
  [
    "10a",
    "AbortSignal fired mid-run",
    [unfailed("cancelled")],
    (config) => makeTool(() => sleep(500)).invoke(toolCall("t"), { ...config, signal: abortsSoon() }),
  ],
  [
    "10b",
    "config.timeout",
    [failed("timeout")],
    (config) => makeTool(() => sleep(500)).invoke(toolCall("t"), { ...config, timeout: 20 }),
  ],
  [
    "13",
    "MCP tool isError:true",
    [failed("ToolException")],
    async (config) => (await mcpTool("is_error")).invoke(toolCall("is_error"), config),
  ],
  ["13b", "MCP tool success", [succeeded], async (config) => (await mcpTool("ok")).invoke(toolCall("ok"), config)],
  [
    "14a",
    "toolRetryMiddleware: fails once, then succeeds",
    [failed("Error"), succeeded],
    (config) =>
      agentOf([flaky()], { middleware: [toolRetryMiddleware({ maxRetries: 2, ...quick })] }).invoke(ask, config),
  ],
  [
    "14b",
    "toolRetryMiddleware: always fails",
    [failed("Error"), failed("Error"), failed("Error")],
    (config) =>
      agentOf([fails()], { middleware: [toolRetryMiddleware({ maxRetries: 2, ...quick })] }).invoke(ask, config),
  ],
  [
    "15",
    "plain string that begins with Error",
    [succeeded],
    (config) => makeTool(() => "Error: not found").invoke(toolCall("t"), config),
  ],
  ["16a", "5 MB output", [succeeded], (config) => makeTool(() => "x".repeat(5_000_000)).invoke(toolCall("t"), config)],
  [
    "16b",
    "circular output, plain arguments",
    [succeeded],
    (config) => makeTool(() => circular()).invoke({ q: "x" }, config),
  ],
  [
    "16c",
    "BigInt output, plain arguments",
    [succeeded],
    (config) => makeTool(() => ({ n: 1n })).invoke({ q: "x" }, config),
  ],
  [
    "16d",
    "output with a throwing getter, plain arguments",
    [succeeded],
    (config) => makeTool(() => throwingGetter()).invoke({ q: "x" }, config),
  ],
  ["16e", "undefined output", [succeeded], (config) => makeTool(() => undefined).invoke(toolCall("t"), config)],
  [
    "16f",
    "BigInt input, whose start LangChain loses",
    [succeeded],
    (config) =>
      tool(async () => "fine", { name: "t", description: "d", schema: { type: "object", properties: {} } }).invoke(
        toolCall("t", { n: 1n }),
        config,
      ),
  ],
  [
    "18",
    "async-generator tool throws mid-stream",
    [failed("Error")],
    (config) => tool(streams, { name: "t", description: "d", schema }).invoke(toolCall("t"), config),
  ],
];

const catching = createMiddleware({
  name: "catching",
  async wrapToolCall(request, handler) {
    try {
      return await handler(request);
    } catch (error) {
      return new ToolMessage({
        content: String(error),
        tool_call_id: request.toolCall.id!,
        name: "t",
        status: "error",
      });
    }
  },
});

async function* streams(): AsyncGenerator<string> {
  yield "part";
  throw new Error("mid-stream");
}

function flaky() {
  let runs = 0;
  return makeTool(() => {
    if (runs++ === 0) throw new Error("flaky");
    return "ok";
  });
}

function circular(): unknown {
  const value: Record<string, unknown> = {};
  value["self"] = value;
  return value;
}

function throwingGetter(): unknown {
  return Object.defineProperty({}, "field", {
    enumerable: true,
    get: () => {
      throw new Error("no");
    },
  });
}

function abortsSoon(): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 20);
  return controller.signal;
}

async function mcpTool(name: string) {
  return (await mcpTools()).find((one) => one.name === name)!;
}

/** A handler with providers of its own. */
function watched() {
  const test = traced();
  const handler = new ToolspanHandler({ tracerProvider: test.tracerProvider, meterProvider: test.meterProvider });
  return { ...test, handler, config: { callbacks: [handler] } satisfies Handlers };
}

/** Runs it to its end, good or bad. */
const settle = async (run: () => unknown): Promise<void> => {
  try {
    await run();
  } catch {
    // how it ended is for the span to say
  }
};

describe("a callback handler is right", () => {
  it.each(situations)("%s: %s", async (_id, _title, wanted, run) => {
    const { config, spans, counts } = watched();
    await settle(() => run(config));
    expect(spans().map(verdict)).toEqual(wanted);
    expect((await counts()).reduce((sum, { count }) => sum + count, 0)).toBe(wanted.length);
  });

  it("17b: the tool span nests under the caller's active span", async () => {
    const { config, onlySpan, tracerProvider } = watched();
    const caller = tracerProvider.getTracer("caller").startSpan("caller");
    await context.with(trace.setSpan(context.active(), caller), () =>
      agentOf([makeTool(() => "fine")]).invoke(ask, config),
    );
    expect(onlySpan().parentSpanContext?.spanId).toBe(caller.spanContext().spanId);
  });

  it.each([
    ["17c", "20 concurrent callers of 5 tools", 0],
    ["17d", "the same beside another handler that awaits 2 ms", 2],
  ])("%s: %s: each tool span in its own caller's trace", async (_id, _title, pause) => {
    const { handler, tracerProvider, spans } = watched();
    const tracer = tracerProvider.getTracer("caller");
    const slow = { name: "slow", handleToolStart: () => sleep(pause), handleToolEnd: () => sleep(pause) };
    const callbacks = pause > 0 ? [slow, handler] : [handler];
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
    const tools = spans().filter((span) => span.name.startsWith("execute_tool"));
    expect(tools).toHaveLength(100);
    for (const span of tools)
      expect(span.spanContext().traceId).toBe(traceOf.get(String(span.attributes["gen_ai.tool.name"])));
  });

  it.each([
    ["19", "alone", false],
    ["19b", "beside a handler that keeps LangChain's callback queue busy", true],
  ])("%s: the duration of a tool that blocks 60 ms, %s", async (_id, _title, busy) => {
    const { handler, onlySpan } = watched();
    const slow = { name: "slow", handleToolStart: () => sleep(40), handleToolEnd: () => sleep(40) };
    const blocking = makeTool(() => {
      for (const end = performance.now() + 60; performance.now() < end;);
    });
    await blocking.invoke({ q: "x" }, { callbacks: busy ? [slow, handler] : [handler] });
    const [seconds, nanoseconds] = onlySpan().duration;
    expect(seconds * 1000 + nanoseconds / 1e6).toBeGreaterThanOrEqual(59);
  });

  it("20: span name and attributes carry the tool's name", async () => {
    const { config, onlySpan } = watched();
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

  it("21: a class tool's span carries its name, which only its answer knows", async () => {
    const { config, onlySpan, counts } = watched();
    await new ClassTool().invoke(toolCall("class_tool"), config);
    expect(onlySpan().name).toBe("execute_tool class_tool");
    expect(onlySpan().attributes["gen_ai.tool.name"]).toBe("class_tool");
    expect((await counts())[0]!.attributes["gen_ai.tool.name"]).toBe("class_tool");
  });

  it("22: the user's own handler still gets its callbacks", async () => {
    const { handler } = watched();
    const seen: string[] = [];
    const own = {
      name: "own",
      awaitHandlers: true,
      handleToolStart: () => void seen.push("start"),
      handleToolEnd: () => void seen.push("end"),
    };
    await agentOf([makeTool(() => "fine")]).invoke(ask, { callbacks: [handler, own] });
    expect(seen).toEqual(["start", "end"]);
  });
});

describe("what no callback shows; the wrap of a tool's call will (issue 4)", () => {
  const unseen: readonly Situation[] = [
    [
      "6c",
      "content_and_artifact, not a two-tuple: started, never ended",
      [unfailed("abandoned")],
      (config) => makeTool(() => "oops", { responseFormat: "content_and_artifact" }).invoke(toolCall("t"), config),
    ],
    [
      "7b",
      "middleware denies: the tool never runs",
      [],
      (config) => agentOf([makeTool(() => "x")], { middleware: [denying] }).invoke(ask, config),
    ],
    [
      "11a",
      "arguments refused, direct invoke",
      [],
      (config) => makeTool(() => "x").invoke(toolCall("t", { bad: 1 }), config),
    ],
    [
      "11b",
      "arguments refused, createAgent",
      [],
      (config) => agentOf([makeTool(() => "x")], {}, [asks(toolCall("t", { bad: 1 })), done]).invoke(ask, config),
    ],
    [
      "12",
      "unknown tool name",
      [],
      (config) => agentOf([makeTool(() => "x")], {}, [asks(toolCall("nope")), done]).invoke(ask, config),
    ],
  ];
  const denying = createMiddleware({
    name: "denying",
    wrapToolCall: async ({ toolCall: { id } }) =>
      new ToolMessage({ content: "denied", tool_call_id: id!, name: "t", status: "error" }),
  });

  it.each(unseen)("%s: %s", async (_id, _title, wanted, run) => {
    const { config, handler, spans } = watched();
    await settle(() => run(config));
    handler.shutdown();
    expect(spans().map(verdict)).toEqual(wanted);
  });

  it("17a: a span made inside the tool is the caller's child, not the tool's", async () => {
    const { config, spans, tracerProvider } = watched();
    const inside = makeTool(() => tracerProvider.getTracer("tool").startSpan("inside").end());
    await inside.invoke({ q: "x" }, config);
    expect(spans().find(({ name }) => name === "inside")!.parentSpanContext).toBeUndefined();
  });
});
