/** R46: the root of a run goes under the span which its caller has active, however it is called, and all of it into one trace. */
import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { RunnableLambda } from "@langchain/core/runnables";
import { MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { context, trace } from "@opentelemetry/api";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { agentOf, ask, asks, done, fails, makeTool, toolCall } from "../../../support/agent.ts";
import { unwatch, watched } from "../../../support/judged.ts";
import { said } from "../../../support/said.ts";
import type { Mode } from "../../../support/situations.ts";
import { pathsOf } from "../../../support/span-tree.ts";
import { failed, succeeded, useContextManager, verdict } from "../../../support/traced.ts";

beforeAll(useContextManager);
afterEach(unwatch);
said();

const modes: readonly Mode[] = ["handler", "wrap", "both"];
const one = () => makeTool(() => "fine");
const desk = () => agentOf([one()], { name: "desk" });
const inAgent = "invoke_agent desk > execute_tool t";
const alone = "execute_tool t";

type Started = readonly [start: (config: RunnableConfig) => Promise<unknown>, path: string, read?: boolean];

/** What is called under the caller's span, and where the tool's span then is. A stream is read after the caller's span. */
const starts: Readonly<Record<string, Started>> = {
  "a tool": [(config) => one().invoke(toolCall("t"), config), alone],
  "a tool in a sequence": [(config) => sequence().invoke({ q: "x" }, config), alone],
  "a ToolNode": [(config) => new ToolNode([one()]).invoke([asks(toolCall("t"))], config), alone],
  "an agent": [(config) => desk().invoke(ask, config), inAgent],
  "an agent's stream": [(config) => desk().stream(ask, config) as Promise<unknown>, inAgent, true],
  "an agent's stream of events": [
    async (config) => desk().streamEvents(ask, { ...config, version: "v2" }),
    inAgent,
    true,
  ],
  "a batch of one": [(config) => desk().graph.batch([ask], config), inAgent],
};

function sequence() {
  return RunnableLambda.from((input: { q: string }) => input).pipe(one());
}

describe.each(modes)("with %s", (mode) => {
  it.each(Object.entries(starts))("R46: %s", async (_title, [start, path, isRead]) => {
    const { config, spans, allSpans, tracerProvider } = watched(mode);
    const caller = tracerProvider.getTracer("app").startSpan("caller");
    const result = await context.with(trace.setSpan(context.active(), caller), () => start(config));
    if (isRead) for await (const _ of result as AsyncIterable<unknown>);
    caller.end();
    const inside = `caller > ${mode === "wrap" ? alone : path}`;
    expect(pathsOf(allSpans())).toContain(inside);
    expect(pathsOf(allSpans()).every((at) => at.startsWith("caller"))).toBe(true);
    expect(new Set(allSpans().map((span) => span.spanContext().traceId)).size).toBe(1);
    expect(
      spans()
        .filter(({ name }) => name === alone)
        .map(verdict),
    ).toEqual([succeeded]);
  });

  it("R46: two callers that share one handler each keep theirs", async () => {
    const { config, allSpans, tracerProvider } = watched(mode);
    const tracer = tracerProvider.getTracer("app");
    await Promise.all(
      ["one", "two"].map((name) =>
        tracer.startActiveSpan(name, async (caller) => {
          const own = agentOf([makeTool(() => "fine", { name: `tool_of_${name}` })], {}, [
            asks(toolCall(`tool_of_${name}`)),
            asks(toolCall(`tool_of_${name}`, { q: "y" }, "call_2")),
            done,
          ]);
          await own.invoke(ask, config);
          caller.end();
        }),
      ),
    );
    const tools = pathsOf(allSpans()).filter((path) => path.includes("execute_tool"));
    expect(tools).toHaveLength(4);
    for (const path of tools) expect(path).toMatch(/^(one|two) > .*tool_of_\1$/);
  });

  it("R41: a run that starts under a foreign active span stays under its own graph", async () => {
    const { config, allSpans, tracerProvider } = watched(mode);
    const foreign = tracerProvider.getTracer("other").startSpan("foreign");
    const messages: BaseMessage[] = [asks(toolCall("t"))];
    const node = new ToolNode([fails()]);
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("tools", (state, given) =>
        context.with(trace.setSpan(context.active(), foreign), () => node.invoke(state, given)),
      )
      .addEdge("__start__", "tools")
      .compile();
    await graph.invoke({ messages }, config);
    foreign.end();
    // A wrap alone knows the active span only.
    const wanted = mode === "wrap" ? "foreign > execute_tool t" : "invoke_agent > execute_tool t";
    expect(pathsOf(allSpans())).toContain(wanted);
    expect(
      allSpans()
        .filter(({ name }) => name === alone)
        .map(verdict),
    ).toEqual([failed("Error")]);
  });
});
