/** R50: the id of the model's call from whichever side has it, and none where there is none. */
import { AIMessage, ToolMessage } from "@langchain/core/messages";
import { DynamicTool, tool } from "@langchain/core/tools";
import { Command } from "@langchain/langgraph";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  agentOf,
  answer,
  ask,
  asks,
  done,
  fails,
  makeTool,
  mcpTools,
  schema,
  toolCall,
} from "../../../support/agent.ts";
import { unwatch, watched } from "../../../support/judged.ts";
import { said } from "../../../support/said.ts";
import type { Config, Mode } from "../../../support/situations.ts";
import { ClassTool, settle } from "../../../support/situations.ts";
import { failed, succeeded, useContextManager, verdict } from "../../../support/traced.ts";

beforeAll(useContextManager);
afterEach(unwatch);
said();

const modes: readonly Mode[] = ["handler", "wrap", "both"];
const call = (name = "t") => toolCall(name, { q: "x" }, "c7");
const message = (status: "error" | "success") =>
  new ToolMessage({ content: "x", tool_call_id: "c7", name: "t", status });
const withoutId = () =>
  new AIMessage({ content: "", tool_calls: [{ name: "t", args: { q: "x" }, type: "tool_call" }] });

type Row = readonly [title: string, run: (config: Config) => unknown, id: string | undefined, wanted: object];

const rows: readonly Row[] = [
  ["a call, and a bare answer", (config) => makeTool(() => "fine").invoke(call(), config), "c7", succeeded],
  ["a call that fails", (config) => fails().invoke(call(), config), "c7", failed("Error")],
  ["a call of a class tool", (config) => new ClassTool().invoke(call("class_tool"), config), "c7", succeeded],
  [
    "a call of a generator tool",
    (config) => tool(streams, { name: "t", description: "d", schema }).invoke(call(), config),
    "c7",
    succeeded,
  ],
  [
    "a call of a text tool",
    (config) =>
      new DynamicTool({ name: "t", description: "d", func: async () => "fine" }).invoke(
        { ...call(), args: { input: "x" } },
        config,
      ),
    "c7",
    succeeded,
  ],
  ["a call of an MCP tool", async (config) => (await mcp("ok")).invoke(call("ok"), config), "c7", succeeded],
  [
    "a call of an MCP tool that fails",
    async (config) => (await mcp("is_error")).invoke(call("is_error"), config),
    "c7",
    failed("ToolException"),
  ],
  [
    "an id in the answer alone",
    (config) => makeTool(() => message("success")).invoke({ q: "x" }, config),
    "c7",
    succeeded,
  ],
  [
    "an id in a failed answer alone",
    (config) => makeTool(() => message("error")).invoke({ q: "x" }, config),
    "c7",
    failed("tool_error"),
  ],
  ["no id, and a bare answer", (config) => makeTool(() => "fine").invoke({ q: "x" }, config), undefined, succeeded],
  ["no id, and a failure", (config) => fails().invoke({ q: "x" }, config), undefined, failed("Error")],
  [
    "an empty id",
    (config) => makeTool(() => "fine").invoke(toolCall("t", { q: "x" }, ""), config),
    undefined,
    succeeded,
  ],
  [
    "a call in an agent",
    (config) => agentOf([makeTool(() => "fine")], {}, [asks(call()), done]).invoke(ask, config),
    "c7",
    succeeded,
  ],
  [
    "a call in an agent, answered by a Command",
    (config) =>
      agentOf([makeTool((_, given) => new Command({ update: { messages: [answer("error", given)] } }))], {}, [
        asks(call()),
        done,
      ]).invoke(ask, config),
    "c7",
    failed("tool_error"),
  ],
  [
    "a call without an id in an agent",
    (config) => agentOf([makeTool(() => "fine")], {}, [withoutId(), done]).invoke(ask, config),
    undefined,
    succeeded,
  ],
  [
    "a call without an id that fails in an agent",
    (config) => agentOf([fails()], {}, [withoutId(), done]).invoke(ask, config),
    undefined,
    failed("Error"),
  ],
];

describe.each(modes)("with %s", (mode) => {
  it.each(rows)("R50: %s", async (_title, run, id, wanted) => {
    const { config, onlySpan, counts } = watched(mode);
    await settle(() => run(config));
    expect(onlySpan().attributes["gen_ai.tool.call.id"]).toBe(id);
    expect("gen_ai.tool.call.id" in onlySpan().attributes).toBe(id !== undefined);
    expect(verdict(onlySpan())).toEqual(wanted);
    const labels = (await counts()).map(({ attributes }) => Object.keys(attributes));
    expect(labels).toHaveLength(1);
    expect(labels[0]!.filter((label) => label.includes("id"))).toEqual([]);
  });

  it("R50: one id in two conversations, and two calls with one id in one answer", async () => {
    const { config, spans, counts } = watched(mode);
    const twice = asks(call(), call());
    const run = (answers: readonly AIMessage[]) => agentOf([makeTool(() => "fine")], {}, answers).invoke(ask, config);
    await Promise.all([run([asks(call()), done]), run([asks(call()), done]), run([twice, done])]);
    expect(spans().map((span) => [span.attributes["gen_ai.tool.call.id"], verdict(span)])).toEqual(
      Array.from({ length: 4 }, () => ["c7", succeeded]),
    );
    expect(spans().map(({ attributes }) => attributes["toolspan.attempt"])).toEqual(spans().map(() => undefined));
    expect((await counts()).map(({ count }) => count)).toEqual([4]);
  });
});

async function* streams(): AsyncGenerator<string> {
  yield "part";
}

async function mcp(name: string) {
  return (await mcpTools()).find((one) => one.name === name)!;
}
