/** Reports of class F: calls of the model's that no run was started for. One span for each, with the right reason. */
import { AIMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import { DynamicStructuredTool, StructuredTool, tool } from "@langchain/core/tools";
import { MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { createMiddleware, toolRetryMiddleware } from "langchain";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { instrumentTool } from "../../../../src/adapters/langchain.ts";
import {
  agentOf,
  ask,
  asks,
  done,
  makeTool,
  TellingModel,
  schema,
  ScriptedModel,
  toolCall,
} from "../../../support/agent.ts";
import { unwatch, watched } from "../../../support/judged.ts";
import { said } from "../../../support/said.ts";
import type { Mode } from "../../../support/situations.ts";
import { settle } from "../../../support/situations.ts";
import { talliesOf } from "../../../support/tallies.ts";
import { failed, succeeded, useContextManager, verdict } from "../../../support/traced.ts";

beforeAll(useContextManager);
afterEach(unwatch);
said();

const modes = ["handler", "wrap", "both"] as const;
const jsonSchema = { type: "object", properties: { q: { type: "string" } }, required: ["q"] } as const;
const fields = { name: "t", description: "d" };
const body = async () => "never";

class StrictTool extends StructuredTool {
  name = "t";
  description = "d";
  schema = schema;
  _call = body;
}

/** Tools called "t" that take a text `q`. */
const strict: Readonly<Record<string, () => unknown>> = {
  "a zod tool": () => tool(body, { ...fields, schema }),
  "a JSON schema tool": () => tool(body, { ...fields, schema: jsonSchema }),
  "a class tool": () => new StrictTool(),
  "a tool as the MCP adapter makes it": () => new DynamicStructuredTool({ ...fields, schema: jsonSchema, func: body }),
  "a generator tool": () =>
    tool(
      async function* () {
        yield "never";
      },
      { ...fields, schema },
    ),
};
const secret = { q: 5, secret: "hunter2" };
const refusedCall = () => asks(toolCall("t", secret, "c1"));

/** Who asks for the call. */
const callers: Readonly<Record<string, (one: unknown, config: object) => Promise<unknown>>> = {
  "an agent": (one, config) => agentOf([one], {}, [refusedCall(), done]).invoke(ask, config),
  "an agent that is streamed": async (one, config) => {
    for await (const _ of await agentOf([one], {}, [refusedCall(), done]).stream(ask, config));
  },
  "a ToolNode in a graph": (one, config) => {
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("tools", new ToolNode([one as StructuredTool]))
      .addEdge("__start__", "tools")
      .compile();
    return graph.invoke({ messages: [refusedCall()] }, config);
  },
  "a ToolNode alone": (one, config) => new ToolNode([one as StructuredTool]).invoke([refusedCall()], config),
  "the application": (one, config) => (one as StructuredTool).invoke(toolCall("t", secret, "c1"), config),
};
/** Outside of a graph LangChain calls no callback at all. */
const isUnseen = (mode: Mode, caller: string) =>
  mode === "handler" && ["a ToolNode alone", "the application"].includes(caller);

describe.each(modes)("with %s", (mode) => {
  describe.each(Object.entries(callers))("R36: arguments refused in a call by %s", (caller, call) => {
    it.each(Object.entries(strict))("%s", async (_title, make) => {
      const { config, allSpans, spans, counts } = watched(mode);
      await settle(() => call(make(), config));
      const wanted = isUnseen(mode, caller) ? [] : [failed(mode === "handler" ? "tool_error" : "invalid_arguments")];
      expect(spans().map(verdict)).toEqual(wanted);
      expect(
        spans().map(({ name, attributes }) => [
          name,
          attributes["gen_ai.tool.call.id"],
          attributes["toolspan.executed"],
        ]),
      ).toEqual(wanted.map(() => ["execute_tool t", "c1", false]));
      expect(JSON.stringify(allSpans().map((span) => [span.attributes, span.status, span.events]))).not.toMatch(
        /hunter2/,
      );
      expect((await counts()).map(({ count }) => count)).toEqual(wanted.map(() => 1));
      expect(allSpans().filter(({ status }) => status.code === 2)).toHaveLength(wanted.length);
    });
  });

  it("R36: arguments refused by a runnable that was made a tool", async () => {
    const { config, onlySpan, tracerProvider, meterProvider } = watched(mode);
    const lambda = RunnableLambda.from(async () => "never").asTool({ ...fields, schema });
    if (mode !== "handler") instrumentTool(lambda, { tracerProvider, meterProvider });
    await agentOf([lambda], {}, [refusedCall(), done]).invoke(ask, config);
    expect(verdict(onlySpan())).toEqual(failed(mode === "handler" ? "tool_error" : "invalid_arguments"));
    expect(onlySpan().attributes["toolspan.executed"]).toBe(false);
  });

  it("R36: a retry that is refused as well is the same call", async () => {
    const { config, spans, allSpans, failures } = watched(mode);
    const retries = toolRetryMiddleware({ maxRetries: 2, initialDelayMs: 1, jitter: false });
    await agentOf([makeTool(body)], { middleware: [retries] }, [refusedCall(), done]).invoke(ask, config);
    // A wrap alone does not know the call's node, so each try is one more to it.
    const seen = mode === "wrap" ? 3 : 1;
    expect(spans().map((span) => [verdict(span).status, span.attributes["toolspan.executed"]])).toEqual(
      Array.from({ length: seen }, () => ["ERROR", false]),
    );
    expect(await failures()).toBe(seen);
    expect(talliesOf(allSpans())).toEqual(mode === "wrap" ? [] : [[1, 1, 1]]);
  });

  it("R36: refused calls without ids are each a call of its own", async () => {
    const { config, spans } = watched(mode);
    const calls = [1, 2].map(() => ({ name: "t", args: secret, type: "tool_call" as const }));
    const answers = [new AIMessage({ content: "", tool_calls: calls }), done];
    await agentOf([makeTool(body)], {}, answers).invoke(ask, config);
    // Without an id a handler cannot tell the node's answers from those it was given.
    const wanted = mode === "handler" ? [] : [failed("invalid_arguments"), failed("invalid_arguments")];
    expect(spans().map(verdict)).toEqual(wanted);
  });

  it("R36: a call that is refused, then mended by a middleware, came back well", async () => {
    const { config, spans, allSpans } = watched(mode);
    const mending = createMiddleware({
      name: "mending",
      async wrapToolCall(request, handler) {
        try {
          return await handler(request);
        } catch {
          return handler({ ...request, toolCall: { ...request.toolCall, args: { q: "x" } } });
        }
      },
    });
    await agentOf([makeTool(() => "x")], { middleware: [mending] }, [refusedCall(), done]).invoke(ask, config);
    const refused = { ...failed("invalid_arguments"), recovered: mode === "both" ? true : undefined };
    expect(spans().map((span) => ({ ...verdict(span), recovered: span.attributes["toolspan.recovered"] }))).toEqual([
      ...(mode === "handler" ? [] : [refused]),
      { ...succeeded, recovered: undefined },
    ]);
    expect(talliesOf(allSpans())).toEqual(mode === "wrap" ? [] : [[1, 0, 0]]);
  });

  it("R36: refused, and well the next time: two calls, the first made good", async () => {
    const { config, spans, allSpans } = watched(mode);
    const turns = [refusedCall(), asks(toolCall("t", { q: "x" }, "c2")), done];
    await agentOf([makeTool(() => "x")], {}, turns).invoke(ask, config);
    expect(spans().map((span) => verdict(span).outcome)).toEqual(["error", "ok"]);
    expect(talliesOf(allSpans())).toEqual(mode === "wrap" ? [] : [[2, 1, 0]]);
  });

  const invented = ["bash", "browser", "python", "sql", "shell"];
  it("R37: invented tools are one series, and each keeps the invented name on its span", async () => {
    const { config, spans, allSpans, counts } = watched(mode);
    const turns = [
      asks(toolCall("t", { q: "x" }, "good"), ...invented.map((name) => toolCall(name, { q: "x" }, `c_${name}`))),
      done,
    ];
    await agentOf([makeTool(() => "x")], { model: new TellingModel(turns) }).invoke(ask, config);
    const unknown = spans().filter((span) => verdict(span).outcome === "error");
    // There is no tool whose call could be wrapped.
    const wanted = mode === "wrap" ? [] : invented;
    expect(unknown.map(({ attributes }) => attributes["toolspan.requested_tool"]).toSorted()).toEqual(
      wanted.toSorted(),
    );
    for (const span of unknown) {
      expect(verdict(span)).toEqual(failed("unknown_tool"));
      expect(span).toMatchObject({ name: "execute_tool unknown_tool", attributes: { "toolspan.executed": false } });
      expect(span.attributes["gen_ai.tool.call.id"]).toBe(`c_${String(span.attributes["toolspan.requested_tool"])}`);
    }
    const series = (await counts()).map(({ attributes, count }) => [attributes["gen_ai.tool.name"], count]);
    expect(series.toSorted()).toEqual([["t", 1], ...(mode === "wrap" ? [] : [["unknown_tool", invented.length]])]);
    expect(talliesOf(allSpans())).toEqual(mode === "wrap" ? [] : [[6, 5, 5]]);
  });

  it("R37: an invented tool in a graph of one's own, whose model was offered others", async () => {
    const { config, spans, failures } = watched(mode);
    const known = makeTool(() => "x");
    const model = new TellingModel([asks(toolCall("bash", {}, "c9")), done]).bindTools([known]);
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("model", async ({ messages }, given) => ({ messages: [await model.invoke(messages, given)] }))
      .addNode("tools", new ToolNode([known]))
      .addEdge("__start__", "model")
      .addEdge("model", "tools")
      .compile();
    await graph.invoke({ messages: [] }, config);
    expect(spans().map(verdict)).toEqual(mode === "wrap" ? [] : [failed("unknown_tool")]);
    expect(await failures()).toBe(mode === "wrap" ? 0 : 1);
  });

  it("R37: a name that was never offered, and a tool of that name that a middleware adds", async () => {
    const { config, spans } = watched(mode);
    const added = tool(body, { name: "late", description: "d", schema: z.object({}) });
    const adding = createMiddleware({
      name: "adding",
      wrapToolCall: (request, handler) => handler({ ...request, tool: added } as never),
    });
    const model = new TellingModel([asks(toolCall("late", {}, "c1")), done]);
    await agentOf([makeTool(() => "x")], { model, middleware: [adding] }).invoke(ask, config);
    expect(spans().map(verdict)).toEqual([succeeded]);
    expect(spans()[0]!.attributes["gen_ai.tool.name"]).toBe("late");
  });

  it("a model that answers without a call makes no tool span", async () => {
    const { config, spans, counts } = watched(mode);
    await agentOf([makeTool(body)], { model: new ScriptedModel([new AIMessage("done")]) }).invoke(ask, config);
    expect(spans()).toEqual([]);
    expect(await counts()).toEqual([]);
  });
});

it("R36: a handler of the application's that raises before the tool is no refusal", async () => {
  const { onlySpan } = watched("wrap");
  const raising = {
    name: "raising",
    raiseError: true,
    awaitHandlers: true,
    handleToolStart() {
      throw new RangeError("no tools today");
    },
  };
  await settle(() => makeTool(() => "fine").invoke(toolCall("t"), { callbacks: [raising] }));
  expect(verdict(onlySpan())).toEqual(failed("RangeError"));
  expect(onlySpan().attributes["toolspan.executed"]).toBe(false);
});
