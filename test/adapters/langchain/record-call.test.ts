/** What the call wrap makes of a call where LangChain says nothing of it, and that it leaves alone what is not to be recorded. */
import { RunnableLambda } from "@langchain/core/runnables";
import { MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import { tool } from "@langchain/core/tools";
import { context } from "@opentelemetry/api";
import { suppressTracing } from "@opentelemetry/core";
import { toolRetryMiddleware } from "langchain";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { instrumentTool } from "../../../src/adapters/langchain.ts";
import { agentOf, answer, ask, isLangChain1, makeTool, schema, toolCall } from "../../support/agent.ts";
import { unwatch, watched } from "../../support/judged.ts";
import { settle } from "../../support/situations.ts";
import { failed, succeeded, useContextManager, verdict } from "../../support/traced.ts";

beforeAll(useContextManager);
afterEach(unwatch);

const lambda = (body: () => unknown) =>
  RunnableLambda.from(async (_input: { q: string }) => body()).asTool({ name: "t", description: "d", schema });

/** A content and an artifact are wanted: the first time it gives something else. */
const wrongAtFirst = () => {
  let runs = 0;
  return makeTool(() => (++runs === 1 ? "no pair" : ["content", { rows: 1 }]), {
    responseFormat: "content_and_artifact",
  });
};

describe("a call that is not to be recorded", () => {
  it.each([
    ["a tool", () => makeTool(() => "fine")],
    ["a runnable that was made a tool", () => lambda(() => "fine")],
  ])("works as ever: %s", async (_title, make) => {
    const { spans, tracerProvider } = watched("wrap");
    const one = make();
    instrumentTool(one, { tracerProvider });
    const result = await context.with(suppressTracing(context.active()), () => one.invoke({ q: "x" }));
    expect(result).toBe("fine");
    expect(spans()).toEqual([]);
  });
});

describe("a failure that was returned is handled", () => {
  it.each([
    ["a tool's", () => makeTool((_input, config) => answer("error", config))],
    ["a runnable's that was made a tool", () => lambda(() => answer("error"))],
  ])("%s", async (_title, make) => {
    const { onlySpan, tracerProvider } = watched("wrap");
    const one = make();
    instrumentTool(one, { tracerProvider });
    await one.invoke(toolCall("t") as never);
    expect(onlySpan().attributes).toMatchObject({ "toolspan.handled": true, "error.type": "tool_error" });
  });
});

it.runIf(isLangChain1)(
  "a signal that is aborted before the tool is reached cancels, and refuses no arguments",
  async () => {
    const { spans } = watched("wrap");
    await settle(() => makeTool(() => "x").invoke({ q: "x" }, { signal: AbortSignal.abort() }));
    expect(spans().map((span) => verdict(span).outcome)).toEqual(["cancelled"]);
  },
);

describe("a result of the wrong shape, beside a handler that hears no end of it", () => {
  it.runIf(isLangChain1)("waits for what the node makes of it: a retry recovers", async () => {
    const { config, spans } = watched("both");
    const middleware = [toolRetryMiddleware({ maxRetries: 1, initialDelayMs: 1, jitter: false })];
    await agentOf([wrongAtFirst()], { middleware }).invoke(ask, config);
    expect(spans().map(verdict)).toEqual([failed("invalid_result"), succeeded]);
    expect(spans()[0]!.attributes["toolspan.recovered"]).toBe(true);
  });

  it("ends at once outside a graph", async () => {
    const { config, spans } = watched("both");
    const ended: number[] = [];
    const chain = RunnableLambda.from(async (_input: string, inside) => {
      await settle(() => wrongAtFirst().invoke({ q: "x" }, inside));
      ended.push(spans().length);
    });
    await chain.invoke("x", config);
    expect(ended).toEqual([1]);
    expect(spans().map(verdict)).toEqual([failed("invalid_result")]);
  });
});

it("a runnable that was made a tool waits for the node's answer too: the node makes good for its failure", async () => {
  const { config, onlySpan, tracerProvider, meterProvider } = watched("both");
  const one = lambda(() => Promise.reject(new RangeError("no")));
  instrumentTool(one, { tracerProvider, meterProvider });
  const node = async (_state: unknown, inside: object) => {
    await settle(() => one.invoke(toolCall("t") as never, inside));
    return { messages: [answer("success")] };
  };
  const graph = new StateGraph(MessagesAnnotation).addNode("tools", node).addEdge("__start__", "tools").compile();
  await graph.invoke({ messages: [] }, config);
  expect(verdict(onlySpan())).toEqual(failed("RangeError"));
  expect(onlySpan().attributes["toolspan.recovered"]).toBe(true);
});

it("no frame of the wrap is in the stack of a refusal, which LangChain sends to the model", async () => {
  watched("wrap");
  const json = { type: "object", properties: { q: { type: "string" } }, required: ["q"] } as const;
  const strict = tool(async () => "x", { name: "t", description: "d", schema: json });
  const error = await strict.invoke({ bad: 1 } as never).catch((thrown: Error) => thrown);
  expect((error as Error).stack).not.toMatch(/src.adapters.langchain/);
});
