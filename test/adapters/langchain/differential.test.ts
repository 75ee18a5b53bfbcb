/** The tracer changes nothing: the same agents with and without it give the same messages, errors and callbacks. */
import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { StructuredTool, tool } from "@langchain/core/tools";
import { Command, interrupt, MemorySaver } from "@langchain/langgraph";
import { createMiddleware, humanInTheLoopMiddleware, toolCallLimitMiddleware, toolRetryMiddleware } from "langchain";
import { describe, expect, it } from "vitest";
import { ToolspanHandler } from "../../../src/adapters/langchain.ts";
import { agentOf, answer, ask, asks, done, makeTool, schema, toolCall } from "../../support/agent.ts";
import { traced } from "../../support/traced.ts";

const quick = { initialDelayMs: 1, maxDelayMs: 2, jitter: false };
const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

class ClassTool extends StructuredTool {
  name = "t";
  description = "d";
  schema = schema;
  async _call({ q }: { q: string }): Promise<string> {
    if (q === "throw") throw new RangeError("no");
    return q;
  }
}

/** Tools called "t", by what they do. */
const tools: Readonly<Record<string, () => unknown>> = {
  "returns a text": () => makeTool(() => "fine"),
  "returns an object": () => makeTool(() => ({ n: 1 })),
  "returns nothing": () => makeTool(() => undefined),
  "returns a cycle": () =>
    makeTool(() => {
      const value: Record<string, unknown> = {};
      value["self"] = value;
      return value;
    }),
  "returns a ToolMessage error": () => makeTool((_, call) => answer("error", call)),
  "returns a Command": () => makeTool((_, call) => new Command({ update: { messages: [answer("error", call)] } })),
  "returns no pair": () => makeTool(() => "oops", { responseFormat: "content_and_artifact" }),
  "returns a pair": () => makeTool(() => ["text", { rows: 1 }], { responseFormat: "content_and_artifact" }),
  throws: () =>
    makeTool(() => {
      throw new TypeError("boom");
    }),
  "throws undefined": () =>
    makeTool(() => {
      throw undefined;
    }),
  "throws an AbortError": () =>
    makeTool(() => {
      throw new DOMException("own", "AbortError");
    }),
  "waits for a human": () => makeTool(() => `a ${String(interrupt("?"))}`),
  "is a generator": () =>
    tool(
      async function* ({ q }: { q: string }) {
        yield q;
        return "whole";
      },
      { name: "t", description: "d", schema },
    ),
  "is a class": () => new ClassTool(),
};

/** What is put around the agent. */
const settings: Readonly<Record<string, () => object>> = {
  plain: () => ({}),
  "a passing middleware": () => ({
    middleware: [createMiddleware({ name: "passing", wrapToolCall: (request, handler) => handler(request) })],
  }),
  retries: () => ({ middleware: [toolRetryMiddleware({ maxRetries: 1, ...quick })] }),
  "a call limit": () => ({ middleware: [toolCallLimitMiddleware({ runLimit: 1 } as never)] }),
  "a human's approval": () => ({ middleware: [humanInTheLoopMiddleware({ interruptOn: { t: true } } as never)] }),
};

type Callbacks = readonly object[];
const modes: Readonly<Record<string, () => Callbacks>> = {
  "the handler": () => {
    const { tracerProvider, meterProvider } = traced();
    return [new ToolspanHandler({ tracerProvider, meterProvider, captureContent: true })];
  },
};

const turns = () => [
  asks(toolCall("t", { q: "x" }, "c1")),
  asks(toolCall("t", { q: "throw" }, "c2")),
  asks(toolCall("t", { bad: 1 }, "c3")),
  asks(toolCall("nope", { q: "x" }, "c4")),
  done,
];

/** All that the application sees of one run. */
async function seenBy(makeTools: () => unknown, setting: () => object, callbacks: Callbacks): Promise<unknown> {
  const events: string[] = [];
  const note = (event: string) => () => void events.push(event);
  const own = {
    name: "own",
    awaitHandlers: true,
    handleToolStart: note("tool start"),
    handleToolEnd: note("tool end"),
    handleToolError: note("tool error"),
    handleChainStart: note("chain start"),
    handleChainEnd: note("chain end"),
    handleChainError: note("chain error"),
    handleLLMEnd: note("model end"),
  };
  const agent = agentOf([makeTools()], { checkpointer: new MemorySaver(), ...setting() }, turns());
  const config = { callbacks: [...callbacks, own] as never, configurable: { thread_id: "1" }, recursionLimit: 30 };
  const run = async (input: unknown): Promise<unknown> => {
    try {
      const result = (await agent.invoke(input as never, config)) as {
        messages: BaseMessage[];
        __interrupt__?: unknown[];
      };
      return { messages: result.messages.map(plain), waits: (result.__interrupt__ ?? []).length };
    } catch (error) {
      return { threw: error instanceof Error ? [error.name, error.message.replaceAll(/\s+at .*/g, "")] : error };
    }
  };
  const first = await run(ask);
  const resumed = await run(
    new Command({ resume: { decisions: Array.from({ length: 3 }, () => ({ type: "approve" })) } }),
  );
  await sleep(0);
  return { first, resumed, events };
}

function plain(message: BaseMessage): unknown {
  const { type, content, name } = message;
  const calls = AIMessage.isInstance(message) ? message.tool_calls?.map(({ id }) => id) : [];
  const own = ToolMessage.isInstance(message) ? [message.status, message.tool_call_id, message.artifact] : [];
  return [type, String(content).replaceAll(/\s+at .*/g, ""), name, calls, own];
}

describe.each(Object.entries(modes))("with %s", (_mode, callbacks) => {
  describe.each(Object.entries(settings))("%s", (_setting, setting) => {
    it.each(Object.entries(tools))("a tool that %s", async (_title, makeTools) => {
      const without = await seenBy(makeTools, setting, []);
      expect(await seenBy(makeTools, setting, callbacks())).toEqual(without);
    });
  });
});
