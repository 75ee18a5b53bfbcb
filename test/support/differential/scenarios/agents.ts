/** Agents: each kind of tool under each kind of middleware, asked well and badly, and resumed. */
import { DynamicTool, tool } from "@langchain/core/tools";
import { Command, interrupt, isInterrupted, MemorySaver } from "@langchain/langgraph";
import { createMiddleware, humanInTheLoopMiddleware, toolCallLimitMiddleware, toolRetryMiddleware } from "langchain";
import { agentOf, answer, ask, asks, done, makeTool, schema, toolCall } from "../../agent.ts";
import { ClassTool } from "../../situations.ts";
import type { Application, Scenario } from "../scenario.ts";
import { toolView } from "../tool-view.ts";
import { cycle, jsonSchema, quick } from "./ingredients.ts";

type Body = Parameters<typeof makeTool>[0];
type MakeTool = (application: Application) => object;

/** One that writes down how it is called. */
const noting =
  (body: Body, fields = {}): MakeTool =>
  ({ note }) =>
    makeTool((input, config) => {
      note("the tool", input, toolView(config));
      return body(input, config);
    }, fields);

const pairs = { responseFormat: "content_and_artifact" };

/** Tools called "t", by what they do. */
const tools: Readonly<Record<string, MakeTool>> = {
  "returns a text": noting(() => "fine"),
  "returns an object": noting(() => ({ n: 1 })),
  "returns nothing": noting(() => undefined),
  "returns a cycle": noting(cycle),
  "returns a ToolMessage error": noting((_, call) => answer("error", call)),
  "returns a Command": noting((_, call) => new Command({ update: { messages: [answer("error", call)] } })),
  "returns no pair": noting(() => "oops", pairs),
  "returns a pair": noting(() => ["text", { rows: 1 }], pairs),
  throws: noting(() => {
    throw new TypeError("boom");
  }),
  "throws undefined": noting(() => {
    throw undefined;
  }),
  "throws an AbortError": noting(() => {
    throw new DOMException("own", "AbortError");
  }),
  "waits for a human": noting(() => `a ${String(interrupt("?"))}`),
  "is a generator": ({ note }) =>
    tool(
      async function* ({ q }: { q: string }) {
        note("first step");
        yield q;
        note("last step");
        return "whole";
      },
      { name: "t", description: "d", schema },
    ),
  "is a class": () => Object.assign(new ClassTool(), { name: "t" }),
  "has a JSON schema": ({ note }) =>
    tool(
      async (input, config) => {
        note("the tool", input, toolView(config));
        if ((input as { q: string }).q === "throw") throw new RangeError("no");
        return "fine";
      },
      { name: "t", description: "d", schema: jsonSchema },
    ),
  "takes a text": ({ note }) =>
    new DynamicTool({
      name: "t",
      description: "d",
      func: async (input, _manager, config) => {
        note("the tool", input, toolView(config));
        return input;
      },
    }),
};

/** What is put around the agent. */
const settings: Readonly<Record<string, () => object>> = {
  plain: () => ({}),
  "under a passing middleware": () => ({
    middleware: [createMiddleware({ name: "passing", wrapToolCall: (request, handler) => handler(request) })],
  }),
  "under retries": () => ({ middleware: [toolRetryMiddleware({ maxRetries: 1, ...quick })] }),
  "under a call limit": () => ({ middleware: [toolCallLimitMiddleware({ runLimit: 2 } as never)] }),
  "under a human's approval": () => ({ middleware: [humanInTheLoopMiddleware({ interruptOn: { t: true } } as never)] }),
};

const turns = () => [
  asks(toolCall("t", { q: "x" }, "c1"), toolCall("t", { q: "throw" }, "c2")),
  asks(toolCall("t", { bad: 1 }, "c3"), toolCall("nope", { q: "x" }, "c4")),
  done,
];

const approve = { decisions: [{ type: "approve" }, { type: "approve" }] };

async function live(application: Application, makeOne: MakeTool, setting: object): Promise<unknown> {
  const agent = agentOf([makeOne(application)], { checkpointer: new MemorySaver(), ...setting }, turns());
  const config = { ...application.config, configurable: { thread_id: "1" }, recursionLimit: 30 };
  const run = async (input: unknown): Promise<unknown> => {
    try {
      return await agent.invoke(input as never, config);
    } catch (error) {
      return { threw: error };
    }
  };
  const first = await run(ask);
  const isWaiting = isInterrupted(first as object);
  return isWaiting ? [first, await run(new Command({ resume: approve }))] : [first];
}

/** Tools that fare differently under a middleware. */
const toldApart = new Set([
  "returns a text",
  "returns a ToolMessage error",
  "throws",
  "waits for a human",
  "is a generator",
  "has a JSON schema",
]);

export const agents: readonly Scenario[] = Object.entries(settings).flatMap(([setting, makeSetting]) =>
  Object.entries(tools)
    .filter(([what]) => setting === "plain" || toldApart.has(what))
    .map(([what, makeOne]): Scenario => [
      `an agent ${setting}, whose tool ${what}`,
      (application) => live(application, makeOne, makeSetting()),
    ]),
);
