import type { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { Callbacks } from "@langchain/core/callbacks/manager";
import { ToolMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import { Command, type GraphNode, MemorySaver, MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import { context, trace } from "@opentelemetry/api";
import { createMiddleware } from "langchain";
import { beforeAll, describe, expect, expectTypeOf, it } from "vitest";
import { ToolspanHandler } from "../../../src/adapters/langchain.ts";
import { agentOf, answer, ask, asks, done, fails, makeTool, schema, toolCall } from "../../support/agent.ts";
import { handled as watched } from "../../support/handled.ts";
import { said } from "../../support/said.ts";
import { failed, succeeded, unfailed, useContextManager, verdict } from "../../support/traced.ts";

beforeAll(useContextManager);
said();

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const abortError = () => new DOMException("The operation was aborted", "AbortError");
const settle = (promise: Promise<unknown>) => promise.catch(() => undefined);

describe("the handler's shape", () => {
  it("is one that LangChain takes as it is, for tool and node events, awaited, never raising", () => {
    const handler = new ToolspanHandler();
    expect(handler).toMatchObject({
      name: "toolspan",
      awaitHandlers: true,
      raiseError: false,
      ignoreAgent: false,
      ignoreChain: false,
      ignoreLLM: false,
      ignoreRetriever: true,
      ignoreCustomEvent: true,
    });
    expect(handler).not.toHaveProperty("lc_prefer_streaming");
  });

  it("is written as JSON by its name, also when it has been used: LangGraph streams the config that it was given", async () => {
    const { handler, config } = watched();
    await makeTool(() => "fine").invoke({ q: "x" }, config);
    expect(JSON.stringify({ callbacks: [handler] })).toBe('{"callbacks":[{"name":"toolspan"}]}');
  });

  it("fits LangChain's types", () => {
    expectTypeOf<[ToolspanHandler]>().toExtend<Callbacks>();
    expectTypeOf<{ callbacks: ToolspanHandler[] }>().toExtend<{ callbacks?: Callbacks }>();
    expectTypeOf<ToolspanHandler>().not.toExtend<BaseCallbackHandler>();
  });
});

describe("what a tool event tells", () => {
  it("the agent's name and the call id", async () => {
    const { config, onlySpan, counts } = watched();
    await agentOf([makeTool(() => "fine")], { name: "desk" }).invoke(ask, config);
    const span = onlySpan();
    expect([span.name, span.attributes["gen_ai.agent.name"], span.attributes["gen_ai.tool.call.id"]]).toEqual([
      "execute_tool t",
      "desk",
      "call_1",
    ]);
    expect((await counts()).map(({ attributes }) => attributes["gen_ai.agent.name"])).toEqual(["desk"]);
  });

  it("a sub-agent's tools bear its name, not that of the agent around it", async () => {
    const { config, spans } = watched();
    const sub = agentOf([makeTool(() => "fine")], { name: "sub" });
    const task = makeTool(async (_, inside) => (await sub.invoke(ask, inside)).messages.length, { name: "task" });
    await agentOf([task], { name: "main" }, [asks(toolCall("task")), done]).invoke(ask, config);
    expect(spans().map(({ name, attributes }) => [name, attributes["gen_ai.agent.name"]])).toEqual([
      ["execute_tool t", "sub"],
      ["execute_tool task", "main"],
    ]);
  });

  it("arguments, when opted in, as LangChain had them before parsing", async () => {
    const { config, onlySpan } = watched({ captureContent: true });
    await makeTool(() => "fine").invoke(toolCall("t", { q: "x", token: "s" }), config);
    expect(onlySpan().attributes).toMatchObject({
      "gen_ai.tool.call.arguments": '{"q":"x","token":"***"}',
      "gen_ai.tool.call.result": '"fine"',
    });
  });

  it.each([
    ["the name the run has", [{ name: "serialized" }, "t"], "execute_tool t"],
    ["else the serialized tool's", [{ name: "serialized", id: ["Class"] }, ""], "execute_tool serialized"],
    ["else its class", [{ id: ["langchain", "tools", "Class"] }, undefined], "execute_tool Class"],
    ["else none", [{ id: ["langchain", 5] }, undefined], "execute_tool unnamed_tool"],
    ["nor where nothing is serialized", [undefined, undefined], "execute_tool unnamed_tool"],
  ] as const)("%s", (_title, [serialized, runName], name) => {
    const { handler, onlySpan } = watched();
    handler.handleToolStart(serialized, "{}", "r1", undefined, [], {}, runName);
    handler.handleToolEnd("fine", "r1");
    expect(onlySpan().name).toBe(name);
  });

  it("nested tools nest, by their run ids", async () => {
    const { config, spans } = watched();
    const inner = fails("inner");
    const outer = tool(async (_, inside) => inner.invoke(toolCall("t"), inside).catch(() => "coped"), {
      name: "outer",
      description: "d",
      schema,
    });
    await outer.invoke(toolCall("outer"), config);
    const [first, second] = spans();
    expect(spans().map(verdict)).toEqual([failed("Error"), succeeded]);
    expect(first!.parentSpanContext?.spanId).toBe(second!.spanContext().spanId);
  });

  it("the same instance given twice, or two of them, make one span", async () => {
    const { handler, onlySpan, tracerProvider, meterProvider, counts } = watched();
    const second = new ToolspanHandler({ tracerProvider, meterProvider });
    await makeTool(() => "fine").invoke(toolCall("t"), { callbacks: [handler, second, handler] });
    expect(verdict(onlySpan())).toEqual(succeeded);
    expect((await counts()).map(({ count }) => count)).toEqual([1]);
  });
});

describe("an AbortError: the caller's stop, or the tool's own?", () => {
  const ownAbort = () =>
    makeTool(() => {
      throw abortError();
    });

  it("the node goes on and answers the call: the tool's own, so its call failed", async () => {
    const { config, onlySpan, failures } = watched();
    await agentOf([ownAbort()]).invoke(ask, config);
    expect(verdict(onlySpan())).toEqual(failed("AbortError"));
    expect(await failures()).toBe(1);
  });

  it("a middleware answers with a success: still the tool's own", async () => {
    const { config, onlySpan } = watched();
    const passing = createMiddleware({
      name: "passing",
      wrapToolCall: async (request, handler) => {
        try {
          return await handler(request);
        } catch {
          return new ToolMessage({ content: "cached", tool_call_id: request.toolCall.id!, name: "t" });
        }
      },
    });
    await agentOf([ownAbort()], { middleware: [passing] }).invoke(ask, config);
    expect(verdict(onlySpan())).toEqual(failed("AbortError"));
  });

  it("the node fails with it: the caller's", async () => {
    const { config, onlySpan } = watched();
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 20);
    await settle(agentOf([makeTool(() => sleep(500))]).invoke(ask, { ...config, signal: controller.signal }));
    expect(verdict(onlySpan())).toEqual(unfailed("cancelled"));
  });

  it("answers that are for other calls do not count", async () => {
    const { config, spans } = watched();
    const node: GraphNode<typeof MessagesAnnotation.State> = async (_state, inside) => {
      await settle(ownAbort().invoke(toolCall("t", { q: "x" }, "mine"), inside as never));
      return { messages: [answer("error", { toolCall: { id: "theirs" } })] };
    };
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("node", node as never)
      .addEdge("__start__", "node")
      .compile();
    await graph.invoke({ messages: [] }, config);
    expect(spans().map(verdict)).toEqual([unfailed("cancelled"), failed("tool_error")]);
  });

  it.each([
    ["a list of messages", (message: ToolMessage) => [message]],
    ["a state", (message: ToolMessage) => ({ messages: [message] })],
    ["a list of states", (message: ToolMessage) => [{ messages: [message] }]],
    ["a Command", (message: ToolMessage) => new Command({ update: { messages: [message] } })],
    ["a list of Commands and messages", (message: ToolMessage) => [new Command({}), message]],
    ["a state under `output`", (message: ToolMessage) => ({ output: [message] })],
  ])("the answer is read in %s", (_title, outputs) => {
    const { handler, onlySpan } = watched();
    handler.handleChainStart({}, {}, "node");
    handler.handleToolStart({}, "{}", "r1", "node", [], {}, "t", "call_1");
    handler.handleToolError(abortError(), "r1", "node");
    handler.handleChainEnd(outputs(answer("error")), "node");
    expect(verdict(onlySpan())).toEqual(failed("AbortError"));
  });

  it.each([
    ["for another call of the same tool, alone", answer("error", { toolCall: { id: "theirs" } })],
    ["that has no call id", { messages: [{ role: "tool", content: "no", name: "t" }] }],
  ])("an answer does not count %s", (_title, outputs) => {
    const { handler, onlySpan } = watched();
    handler.handleChainStart({}, {}, "node");
    handler.handleToolStart({}, "{}", "r1", "node", [], {}, "t", "call_1");
    handler.handleToolError(abortError(), "r1", "node");
    handler.handleChainEnd(outputs, "node");
    expect(verdict(onlySpan())).toEqual(unfailed("cancelled"));
  });

  it("below a tool nothing answers the call: the caller's", async () => {
    const { config, spans } = watched();
    const outer = makeTool(
      (input, given) =>
        ownAbort()
          .invoke(input, given as object)
          .catch(() => "coped"),
      {
        name: "outer",
      },
    );
    await outer.invoke(toolCall("outer"), config);
    expect(spans().map(verdict)).toEqual([succeeded, unfailed("cancelled")]);
  });

  it("the process shuts down before the node ends: the caller's", () => {
    const { handler, onlySpan } = watched();
    handler.handleChainStart({}, {}, "node");
    handler.handleToolStart({}, "{}", "r1", "node", [], {}, "t", "call_1");
    handler.handleToolError(abortError(), "r1", "node");
    handler.shutdown();
    expect(verdict(onlySpan())).toEqual(unfailed("cancelled"));
  });

  it("without a call id (LangChain 0.3) the answer is known by the tool's name", () => {
    for (const [name, wanted] of [
      ["t", failed("AbortError")],
      ["u", unfailed("cancelled")],
    ] as const) {
      const { handler, onlySpan } = watched();
      handler.handleChainStart({}, {}, "node");
      handler.handleToolStart({}, "{}", "r1", "node", [], {}, name);
      handler.handleToolError(abortError(), "r1", "node");
      handler.handleChainEnd({ messages: [answer("error")] }, "node");
      expect(verdict(onlySpan())).toEqual(wanted);
    }
  });

  it("outside of a graph it is the caller's", async () => {
    const { config, onlySpan } = watched();
    await settle(ownAbort().invoke(toolCall("t"), config));
    expect(verdict(onlySpan())).toEqual(unfailed("cancelled"));
  });
});

describe("parents", () => {
  it("the agent is the caller's child and the tool the agent's, also deep in a chain", async () => {
    const { config, spans, allSpans, tracerProvider } = watched();
    const caller = tracerProvider.getTracer("app").startSpan("caller");
    const chain = RunnableLambda.from(async (_input: string, inside) =>
      agentOf([makeTool(() => "fine")]).invoke(ask, inside),
    );
    await context.with(trace.setSpan(context.active(), caller), () => chain.invoke("go", config));
    const agent = allSpans().find(({ name }) => name === "invoke_agent")!;
    expect(agent.parentSpanContext?.spanId).toBe(caller.spanContext().spanId);
    expect(spans()[0]!.parentSpanContext?.spanId).toBe(agent.spanContext().spanId);
  });

  it("a tool run that core never ends takes the error of the chain it broke", async () => {
    const { config, onlySpan, failures } = watched();
    const broken = makeTool(() => "oops", { responseFormat: "content_and_artifact" });
    const chain = RunnableLambda.from(async (_input: string, inside) => broken.invoke(toolCall("t"), inside));
    await settle(chain.invoke("go", config));
    expect(verdict(onlySpan())).toEqual(failed("invalid_result"));
    expect(onlySpan().status.message).not.toContain("oops");
    expect(await failures()).toBe(1);
  });

  it.each([
    ["an error of any other kind", new RangeError("no"), "RangeError"],
    ["what has no message", "no", "_OTHER"],
    [
      "core's sentence for a result of wrong shape",
      new Error('Tool response format is "content_and_artifact" but the output was not a two-tuple'),
      "invalid_result",
    ],
  ])("the chain's error is the open run's own: %s", (_title, error, type) => {
    const { handler, onlySpan } = watched();
    handler.handleChainStart({}, {}, "node");
    handler.handleToolStart({}, "{}", "r1", "node", [], {}, "t", "call_1");
    handler.handleChainError(error, "node");
    expect(verdict(onlySpan())).toEqual(failed(type));
  });

  it("an agent that coped leaves the caller's span alone", async () => {
    const { config, spans, tracerProvider } = watched();
    const caller = tracerProvider.getTracer("app").startSpan("caller");
    await context.with(trace.setSpan(context.active(), caller), () => agentOf([fails()]).invoke(ask, config));
    caller.end();
    expect(spans().map(({ status }) => status.code)).toEqual([2, 0]);
  });

  it("a thread with a checkpointer, two turns: each run once", async () => {
    const { config, spans } = watched();
    const agent = agentOf([makeTool(() => "fine")], { checkpointer: new MemorySaver() }, [
      asks(toolCall("t")),
      done,
      asks(toolCall("t", { q: "y" }, "call_2")),
      done,
    ]);
    const thread = { ...config, configurable: { thread_id: "1" } };
    await agent.invoke(ask, thread);
    await agent.invoke(ask, thread);
    expect(spans().map(({ attributes }) => attributes["gen_ai.tool.call.id"])).toEqual(["call_1", "call_2"]);
  });
});
