/**
 * R41: the run ids are enough. Here no context manager is registered, as in an application without an SDK's set-up, or where
 * the context is lost between steps: nothing is ever active.
 */
import { RunnableLambda } from "@langchain/core/runnables";
import { MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { context, trace } from "@opentelemetry/api";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { agentOf, ask, asks, done, fails, makeTool, toolCall } from "../../../support/agent.ts";
import { unwatch, watched } from "../../../support/judged.ts";
import { said } from "../../../support/said.ts";
import { pathsOf } from "../../../support/span-tree.ts";
import { failed, succeeded, verdict } from "../../../support/traced.ts";

beforeAll(() => context.disable());
afterEach(unwatch);
said();

describe.each(["handler", "both"] as const)("with %s", (mode) => {
  it("R41: nothing is active here", async () => {
    const span = trace.wrapSpanContext({ traceId: "1".repeat(32), spanId: "1".repeat(16), traceFlags: 1 });
    await context.with(trace.setSpan(context.active(), span), async () => {
      expect(trace.getSpan(context.active())).toBeUndefined();
    });
  });

  it("R41: an agent, its sub-agent and a tool in a tool are one trace, each under its own parent", async () => {
    const { config, allSpans, spans } = watched(mode);
    const deepest = makeTool(() => "deep", { name: "deepest" });
    const inner = makeTool((input, given) => deepest.invoke(input, given as object), { name: "inner" });
    const sub = agentOf([inner, fails()], { name: "sub" }, [
      asks(toolCall("inner", { q: "x" }, "s1"), toolCall("t", { q: "x" }, "s2")),
      done,
    ]);
    const task = makeTool(async (_, given) => (await sub.invoke(ask, given)).messages.length, { name: "task" });
    await agentOf([task], { name: "main" }, [asks(toolCall("task")), done]).invoke(ask, config);
    const inSub = "invoke_agent main > execute_tool task > invoke_agent sub";
    expect(pathsOf(spans())).toHaveLength(4);
    expect(pathsOf(allSpans()).toSorted()).toEqual(
      [
        "invoke_agent main",
        "invoke_agent main > chat",
        "invoke_agent main > chat",
        "invoke_agent main > execute_tool task",
        inSub,
        `${inSub} > chat`,
        `${inSub} > chat`,
        `${inSub} > execute_tool inner`,
        `${inSub} > execute_tool inner > execute_tool deepest`,
        `${inSub} > execute_tool t`,
      ].toSorted(),
    );
    expect(new Set(allSpans().map((span) => span.spanContext().traceId)).size).toBe(1);
    const failures = spans().filter(({ status }) => status.code === 2);
    expect(failures.map((span) => [span.name, verdict(span)])).toEqual([["execute_tool t", failed("Error")]]);
  });

  it("R41: what draws no span is passed over: a sequence in a node of a graph in a graph", async () => {
    const { config, allSpans, onlySpan } = watched(mode);
    const step = RunnableLambda.from((input: object) => input)
      .pipe(RunnableLambda.from(() => ({ q: "x" })))
      .pipe(makeTool(() => "fine"));
    const inner = new StateGraph(MessagesAnnotation)
      .addNode("step", async (state, given) => {
        await step.invoke(state, given);
        return {};
      })
      .addEdge("__start__", "step")
      .compile({ name: "inner" });
    const outer = new StateGraph(MessagesAnnotation)
      .addNode("inner", inner)
      .addEdge("__start__", "inner")
      .compile({ name: "outer" });
    await outer.invoke({ messages: [] }, config);
    expect(pathsOf(allSpans())).toEqual([
      "invoke_agent outer > invoke_agent inner > execute_tool t",
      "invoke_agent outer > invoke_agent inner",
      "invoke_agent outer",
    ]);
    expect(verdict(onlySpan())).toEqual(succeeded);
  });

  it("R41: parallel nodes and parallel calls stay in the trace of their graph", async () => {
    const { config, allSpans, spans } = watched(mode);
    const node = new ToolNode([makeTool(() => "fine")]);
    const graph = new StateGraph(MessagesAnnotation).addNode("a", node).addNode("b", node);
    const compiled = graph.addEdge("__start__", "a").addEdge("__start__", "b").compile({ name: "both" });
    const messages = [asks(toolCall("t", { q: "x" }, "c1"), toolCall("t", { q: "y" }, "c2"))];
    await Promise.all([compiled.invoke({ messages }, config), compiled.invoke({ messages }, config)]);
    expect(pathsOf(spans())).toHaveLength(8);
    expect(pathsOf(allSpans()).filter((path) => path === "invoke_agent both > execute_tool t")).toHaveLength(8);
    expect(new Set(allSpans().map((span) => span.spanContext().traceId)).size).toBe(2);
  });
});
