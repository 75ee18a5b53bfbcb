/** The README's table of what no callback shows: each row made to happen, with the handler alone and with the wrap beside it. */
import { readFileSync } from "node:fs";
import { AIMessage, ToolMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import { MemorySaver } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import {
  createAgent,
  createMiddleware,
  humanInTheLoopMiddleware,
  toolCallLimitMiddleware,
  toolStrategy,
} from "langchain";
import { SpanStatusCode } from "@opentelemetry/api";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { instrumentTool } from "../../../src/adapters/langchain.ts";
import { agentOf, ask, asks, done, makeTool, mcpTools, schema, ScriptedModel, toolCall } from "../../support/agent.ts";
import type { Watched } from "../../support/judged.ts";
import { unwatch, watched } from "../../support/judged.ts";
import type { Mode } from "../../support/situations.ts";
import { settle, sleep } from "../../support/situations.ts";
import { failed, unfailed, useContextManager, verdict } from "../../support/traced.ts";

beforeAll(useContextManager);
afterEach(unwatch);

/** How a cell says that the call shows. */
interface Showing {
  readonly verdicts: readonly object[];
  readonly isAgentFailed: boolean;
  readonly isUnrun: boolean;
}

const readme = readFileSync("README.md", "utf8");
const table = readme.slice(readme.indexOf("| what no callback shows |")).split("\n\n")[0]!.split("\n").slice(2);
const rows = table.map((line) => {
  const [, happens, handler, wrapped] = line.split("|").map((cell) => cell.trim());
  return { happens: happens!, handler: showingOf(handler!), wrapped: showingOf(wrapped!) };
});

/** "no span", an outcome, or "ERROR" with its `error.type`; more may follow a semicolon. */
function showingOf(cell: string): Showing {
  const [words, more = ""] = cell.split("; ");
  const [, isError, word] = /^(ERROR )?`([\w.]+)`$/.exec(words!) ?? [];
  expect(word !== undefined || words === "no span", `the README's cell "${cell}"`).toBe(true);
  return {
    verdicts: word === undefined ? [] : [isError ? failed(word) : unfailed(word)],
    isAgentFailed: more === "the agent is ERROR",
    isUnrun: more === "`toolspan.executed` is false",
  };
}

const stopped = (reason?: unknown): AbortSignal => {
  const controller = new AbortController();
  setTimeout(() => controller.abort(reason), 20);
  return controller.signal;
};
const mcpTool = async (name: string, options?: Parameters<typeof mcpTools>[0]) =>
  (await mcpTools(options)).find((one) => one.name === name)!;
const refused = toolCall("t", { bad: 1 });
const fine = () => makeTool(() => "fine");
const badPair = () => makeTool(() => "no pair", { responseFormat: "content_and_artifact" });
const mcpFailure = { isError: true, content: [{ type: "text", text: "no" }] };
const cyclic = () => {
  const value: Record<string, unknown> = {};
  value["self"] = value;
  return value;
};
/** `watch` is what the wrap is for a tool that is no class of LangChain's. */
type Happening = (config: Watched["config"], watch: (tool: object) => void) => unknown;
const failingRunnable = (watch: (tool: object) => void) => {
  const one = RunnableLambda.from(async (_input: { q: string }) => Promise.reject(new RangeError("no"))).asTool({
    name: "t",
    description: "d",
    schema,
  });
  watch(one);
  return one;
};
const structured = toolStrategy(z.object({ n: z.number() }));
const { name: structuredName } = (structured as unknown as { name: string }[])[0]!;

const happenings: Readonly<Record<string, Happening>> = {
  "arguments refused, outside an agent": (config) => fine().invoke(refused, config),
  "arguments refused, in an agent": (config) => agentOf([fine()], {}, [asks(refused), done]).invoke(ask, config),
  "a `RangeError` in a tool of `runnable.asTool()`, outside an agent": (config, watch) =>
    failingRunnable(watch).invoke(toolCall("t"), config),
  "the same in an agent": (config, watch) => agentOf([failingRunnable(watch)]).invoke(ask, config),
  '`abort("user left")`: a stop with words of one\'s own': (config) =>
    makeTool(() => sleep(300)).invoke(toolCall("t"), { ...config, signal: stopped("user left") }),
  "a stop in an MCP tool, which the adapter puts in words of its own": async (config) =>
    (await mcpTool("slow")).invoke(toolCall("slow"), { ...config, signal: stopped() }),
  "a `content_and_artifact` tool returns no pair, outside an agent": (config) =>
    badPair().invoke(toolCall("t"), config),
  "a tool returns a failed MCP result, of which LangChain makes a text": (config) =>
    makeTool(() => mcpFailure).invoke(toolCall("t"), config),
  "an unknown tool in a `ToolNode` outside a graph": (config) =>
    new ToolNode([fine()]).invoke({ messages: [asks(toolCall("nope"))] }, config),
  "an unknown tool, asked for by a model that does not say what it was offered": (config) =>
    agentOf([fine()], {}, [asks(toolCall("nope")), done]).invoke(ask, config),
  "an MCP adapter's `afterToolCall` answers with a failed message; the adapter drops its status": async (config) => {
    const result = new ToolMessage({ content: "no", tool_call_id: "call_1", status: "error" });
    await (await mcpTool("ok", { afterToolCall: () => ({ result }) })).invoke(toolCall("ok"), config);
  },
  "a `ToolNode` cannot write down a result (a cycle, no call id) and answers with an error": (config) => {
    const call = { name: "t", args: { q: "x" }, type: "tool_call" } as const;
    const message = new AIMessage({ content: "", tool_calls: [call] });
    return new ToolNode([makeTool(cyclic)]).invoke({ messages: [message] }, config);
  },
  "middleware answers with what is no message, after the tool ran": (config) =>
    agentOf([fine()], {
      middleware: [
        createMiddleware({
          name: "odd",
          async wrapToolCall(request, handler) {
            await handler(request);
            return "no message" as never;
          },
        }),
      ],
    }).invoke(ask, config),
  "middleware throws before the tool runs": (config) =>
    agentOf([fine()], {
      middleware: [createMiddleware({ name: "broken", wrapToolCall: () => Promise.reject(new Error("no")) })],
    }).invoke(ask, config),
  'a call limit that ends the agent (`exitBehavior: "error"`)': (config) =>
    agentOf([fine()], {
      middleware: [toolCallLimitMiddleware({ runLimit: 0, exitBehavior: "error" } as never)],
    }).invoke(ask, config),
  "`humanInTheLoopMiddleware` waits for an answer": (config) =>
    agentOf([fine()], {
      checkpointer: new MemorySaver(),
      middleware: [humanInTheLoopMiddleware({ interruptOn: { t: true } } as never)],
    }).invoke(ask, { ...config, configurable: { thread_id: "1" } }),
  "structured output that does not parse": (config) => {
    const answers = [{ n: "no" }, { n: 1 }].map((args, index) => asks(toolCall(structuredName, args, `s${index}`)));
    const model = new ScriptedModel(answers);
    return createAgent({ model, tools: [], responseFormat: structured } as never).invoke(ask as never, config);
  },
  "a call left over from a stopped turn, answered by a message without a status": (config) => {
    const answer = new ToolMessage({ content: "was cancelled", tool_call_id: "old", name: "t" });
    const patch = createMiddleware({ name: "patch", beforeAgent: () => ({ messages: [answer] }) });
    const messages = [...ask.messages, asks(toolCall("t", { q: "x" }, "old"))];
    return agentOf([fine()], { middleware: [patch] }, [done]).invoke({ messages } as never, config);
  },
};

describe("the README's table of what no callback shows", () => {
  it("has a row for each thing that can happen, and no other", () => {
    expect(rows.map(({ happens }) => happens)).toEqual(Object.keys(happenings));
  });

  const cases = rows.flatMap((row) => [
    ["handler", row.happens, row.handler] as const,
    ["both", row.happens, row.wrapped] as const,
  ]);
  it.each(cases)("%s: %s", async (mode: Mode, happens, wanted) => {
    const { config, spans, allSpans, finish, tracerProvider, meterProvider } = watched(mode);
    let undo = (): void => {};
    const watch = (one: object): void => {
      if (mode === "both") undo = instrumentTool(one, { tracerProvider, meterProvider });
    };
    await settle(() => happenings[happens]!(config, watch));
    finish();
    undo();
    expect(spans().map(verdict)).toEqual(wanted.verdicts);
    const agent = allSpans().find(({ name }) => name === "invoke_agent");
    expect(agent?.status.code === SpanStatusCode.ERROR).toBe(wanted.isAgentFailed);
    const isUnrun = spans().some(({ attributes }) => attributes["toolspan.executed"] === false);
    expect(isUnrun || !wanted.isUnrun).toBe(true);
  });
});
