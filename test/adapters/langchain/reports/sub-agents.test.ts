/** R43: what a sub-agent does hangs below the tool that called it, whether or not the tool hands its config on. */
import { AIMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { DynamicStructuredTool, StructuredTool } from "@langchain/core/tools";
import { createDeepAgent } from "deepagents";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { agentOf, ask, asks, done, fails, makeTool, schema, ScriptedModel, toolCall } from "../../../support/agent.ts";
import { unwatch, watched } from "../../../support/judged.ts";
import { said } from "../../../support/said.ts";
import type { Mode } from "../../../support/situations.ts";
import { pathsOf } from "../../../support/span-tree.ts";
import { talliesOf } from "../../../support/tallies.ts";
import { failed, succeeded, useContextManager, verdict } from "../../../support/traced.ts";

beforeAll(useContextManager);
afterEach(unwatch);
said();

const modes: readonly Mode[] = ["handler", "wrap", "both"];
const call = (name: string, id: string) => toolCall(name, { q: "x" }, id);

/** Runs a sub-agent, one of whose two calls fails. */
async function delegate(config?: RunnableConfig): Promise<string> {
  const search = makeTool(() => "found", { name: "search" });
  const sub = agentOf([search, fails()], { name: "sub" }, [asks(call("search", "c1"), call("t", "c2")), done]);
  return `${(await sub.invoke(ask, config)).messages.length} messages`;
}

class ClassTask extends StructuredTool {
  name = "task";
  description = "d";
  schema = schema;
  _call(): Promise<string> {
    return delegate();
  }
}

/** Tools called "task", by how the sub-agent gets its config. */
const tasks: Readonly<Record<string, () => unknown>> = {
  "hands it on": () => makeTool((_, config) => delegate(config), { name: "task" }),
  "hands nothing on": () => makeTool(() => delegate(), { name: "task" }),
  "is a class and hands nothing on": () => new ClassTask(),
  "is made of a bare function, as the MCP adapter does, and hands nothing on": () =>
    new DynamicStructuredTool({ name: "task", description: "d", schema, func: () => delegate() }),
  "gives callbacks of its own": () => makeTool(() => delegate({ callbacks: [] }), { name: "task" }),
};
/** LangChain then tells a handler that the sub-agent is run by the node. */
const ofTheNode = new Set(Object.keys(tasks).slice(2, 4));
const unheard = "gives callbacks of its own";

const main = (task: unknown) => agentOf([task], { name: "main" }, [asks(call("task", "c1")), done]);

function treeOf(mode: Mode, title: string): string[] {
  const above = mode === "wrap" ? "" : "invoke_agent main > ";
  const task = `${above}execute_tool task`;
  const under = mode === "handler" && ofTheNode.has(title) ? "invoke_agent main" : task;
  const drawn = (name: string) => (mode === "wrap" ? [] : [name]);
  const chats = (agent: string) => drawn(`${agent} > chat`);
  const sub = `${under} > invoke_agent sub`;
  const tools = (agent: string) => [`${agent} > execute_tool search`, `${agent} > execute_tool t`];
  const heard = [...chats(sub), ...chats(sub), ...drawn(sub), ...tools(mode === "wrap" ? task : sub)];
  const inside = title !== unheard ? heard : mode === "handler" ? [] : tools(task);
  return [...inside, task, ...chats("invoke_agent main"), ...chats("invoke_agent main"), ...drawn("invoke_agent main")];
}

describe.each(modes)("with %s", (mode) => {
  it.each(Object.entries(tasks))("R43: a tool that %s", async (title, make) => {
    const { config, spans, allSpans, counts } = watched(mode);
    await main(make()).invoke(ask, config);
    expect(pathsOf(allSpans()).toSorted()).toEqual(treeOf(mode, title).toSorted());
    expect(new Set(allSpans().map((span) => span.spanContext().traceId)).size).toBe(1);
    const isHeard = title !== unheard || mode !== "handler";
    const inside = [
      ["search", succeeded],
      ["t", failed("Error")],
    ];
    const wanted = [...(isHeard ? inside : []), ["task", succeeded]];
    const seen = spans().map((span) => [span.attributes["gen_ai.tool.name"], verdict(span)]);
    expect(seen.toSorted()).toEqual(wanted);
    const counted = (await counts()).map(({ attributes, count }) => [attributes["gen_ai.tool.name"], count]);
    expect(counted.toSorted()).toEqual(wanted.map(([name]) => [name, 1]));
    const tallies = [
      [2, 1, 1],
      [1, 0, 0],
    ];
    expect(talliesOf(allSpans())).toEqual(mode === "wrap" ? [] : title === unheard ? tallies.slice(1) : tallies);
  });

  it("R43: two sub-agents at one time, with the same call ids, keep apart", async () => {
    const { config, allSpans } = watched(mode);
    const agent = agentOf([makeTool(() => delegate(), { name: "task" })], { name: "main" }, [
      asks(call("task", "c1"), call("task", "c2")),
      done,
    ]);
    await agent.invoke(ask, config);
    const byId = new Map(allSpans().map((span) => [span.spanContext().spanId, span]));
    const taskOf = (span: (typeof all)[number]): unknown => {
      const parent = byId.get(span.parentSpanContext!.spanId)!;
      return parent.name === "execute_tool task" ? parent.attributes["gen_ai.tool.call.id"] : taskOf(parent);
    };
    const all = allSpans().filter(({ name }) => ["execute_tool t", "execute_tool search"].includes(name));
    const seen = all.map((span) => `${span.name} of ${String(taskOf(span))}: ${String(verdict(span).outcome)}`);
    expect(seen.toSorted()).toEqual([
      "execute_tool search of c1: ok",
      "execute_tool search of c2: ok",
      "execute_tool t of c1: error",
      "execute_tool t of c2: error",
    ]);
  });

  it("R43: a span that the tool makes itself stays between the tool and what it calls", async () => {
    const { config, allSpans, tracerProvider } = watched(mode);
    const tracer = tracerProvider.getTracer("tool");
    const task = new DynamicStructuredTool({
      name: "task",
      description: "d",
      schema,
      func: () =>
        tracer.startActiveSpan("step", async (step) => {
          const result = await delegate();
          step.end();
          return result;
        }),
    });
    await main(task).invoke(ask, config);
    const inner = pathsOf(allSpans()).find((path) => path.endsWith("execute_tool search"));
    const wanted = {
      handler: "invoke_agent main > invoke_agent sub > execute_tool search",
      wrap: "execute_tool task > step > execute_tool search",
      both: "invoke_agent main > execute_tool task > step > invoke_agent sub > execute_tool search",
    };
    expect(inner).toBe(wanted[mode]);
  });

  it("R43: deepagents' task", async () => {
    const { config, allSpans, spans, counts } = watched(mode);
    const model = new ScriptedModel([
      asks(toolCall("task", { description: "do", subagent_type: "general-purpose" }, "c1")),
      asks(call("search", "c1")),
      new AIMessage("found it"),
      done,
    ]);
    const agent = createDeepAgent({
      model,
      tools: [makeTool(() => "found", { name: "search" })],
      name: "main",
    } as never);
    await agent.invoke(ask as never, config);
    const sub = "invoke_agent main > execute_tool task > invoke_agent general-purpose";
    expect(pathsOf(allSpans())).toContain(
      mode === "wrap" ? "execute_tool task > execute_tool search" : `${sub} > execute_tool search`,
    );
    expect(spans().map(verdict)).toEqual([succeeded, succeeded]);
    expect((await counts()).map(({ count }) => count)).toEqual([1, 1]);
  });
});
