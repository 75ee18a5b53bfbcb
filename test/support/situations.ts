/**
 * The situations in which tracers were compared (46 judged), live: real LangChain, LangGraph and MCP adapters. The numbers
 * are those of that comparison; 7b was not judged.
 */
import { ToolMessage } from "@langchain/core/messages";
import { StructuredTool, tool } from "@langchain/core/tools";
import { Command, interrupt, MemorySaver, MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { createMiddleware, toolRetryMiddleware } from "langchain";
import {
  agentOf,
  answer,
  ask,
  asks,
  done,
  fails,
  isLangChain1,
  makeTool,
  mcpTools,
  schema,
  TellingModel,
  toolCall,
} from "./agent.ts";
import { failed, succeeded, unfailed } from "./traced.ts";

/** How the application is watched. */
export type Mode = "handler" | "wrap" | "both";

export interface Config {
  readonly callbacks?: object[];
}

/** Middleware, stops and deadlines, generators, input that is not JSON. */
const OF_LANGCHAIN_1 = new Set(["7", "7b", "14a", "14b", "10a", "10b", "16f", "18"]);

export function isPlayable(id: string): boolean {
  return isLangChain1 || !OF_LANGCHAIN_1.has(id);
}

/** `sees`: what a way of watching sees, where that is not what is right. */
export type Situation = readonly [
  id: string,
  title: string,
  right: readonly object[],
  run: (config: Config) => unknown,
  sees?: Partial<Record<Mode, readonly object[]>>,
];

export const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const node = (tools: ConstructorParameters<typeof ToolNode>[0], options = {}) => new ToolNode(tools, options);
const asked = { messages: [asks(toolCall("t"))] };
const throwing = (error: unknown) =>
  makeTool(() => {
    throw error;
  });
const quick = { initialDelayMs: 1, maxDelayMs: 2, jitter: false };

const parentGraph = new StateGraph(MessagesAnnotation)
  .addNode("leave", async () => new Command({ graph: Command.PARENT, goto: "other" }), { ends: [] })
  .addEdge("__start__", "leave")
  .compile();

export class ClassTool extends StructuredTool {
  name = "class_tool";
  description = "d";
  schema = schema;
  async _call({ q }: { q: string }): Promise<string> {
    return q;
  }
}

export const situations: readonly Situation[] = [
  ["1", "success", [succeeded], (config) => makeTool(() => "fine").invoke(toolCall("t"), config)],
  [
    "2",
    "tool throws Error, direct invoke",
    [failed("TypeError")],
    (config) => throwing(new TypeError("no")).invoke({ q: "x" }, config),
  ],
  ["2b", "tool throws a string", [failed("_OTHER")], (config) => throwing("no").invoke({ q: "x" }, config)],
  ["2c", "tool throws undefined", [failed("_OTHER")], (config) => throwing(undefined).invoke({ q: "x" }, config)],
  ["3a", "throws inside ToolNode, handled", [failed("Error")], (config) => node([fails()]).invoke(asked, config)],
  ["3b", "throws inside createAgent", [failed("Error")], (config) => agentOf([fails()]).invoke(ask, config)],
  [
    "3c",
    "throws inside ToolNode, unhandled",
    [failed("Error")],
    (config) => node([fails()], { handleToolErrors: false }).invoke(asked, config),
  ],
  [
    "4a",
    "returns ToolMessage error, tool-call invoke",
    [failed("tool_error")],
    (config) => makeTool((_, call) => answer("error", call)).invoke(toolCall("t"), config),
  ],
  [
    "4b",
    "returns ToolMessage error, plain arguments",
    [failed("tool_error")],
    (config) => makeTool((_, call) => answer("error", call)).invoke({ q: "x" }, config),
  ],
  [
    "4c",
    "returns ToolMessage error, in createAgent",
    [failed("tool_error")],
    (config) => agentOf([makeTool((_, call) => answer("error", call))]).invoke(ask, config),
  ],
  [
    "4d",
    "returns ToolMessage success",
    [succeeded],
    (config) => makeTool((_, call) => answer("success", call)).invoke(toolCall("t"), config),
  ],
  [
    "5a",
    "returns Command with ToolMessage error",
    [failed("tool_error")],
    (config) =>
      makeTool((_, call) => new Command({ update: { messages: [answer("error", call)] } })).invoke(
        toolCall("t"),
        config,
      ),
  ],
  [
    "5b",
    "returns Command with ToolMessage success",
    [succeeded],
    (config) =>
      makeTool((_, call) => new Command({ update: { messages: [answer("success", call)] } })).invoke(
        toolCall("t"),
        config,
      ),
  ],
  [
    "6a",
    "content_and_artifact, throws",
    [failed("Error")],
    (config) =>
      tool(async () => Promise.reject(new Error("boom")), {
        name: "t",
        description: "d",
        schema,
        responseFormat: "content_and_artifact",
      }).invoke(toolCall("t"), config),
  ],
  [
    "6b",
    "content_and_artifact, [ToolMessage error, artifact]",
    [failed("tool_error")],
    (config) =>
      makeTool((_, call) => [answer("error", call), { rows: 1 }], { responseFormat: "content_and_artifact" }).invoke(
        toolCall("t"),
        config,
      ),
  ],
  [
    "7",
    "wrapToolCall middleware catches, returns ToolMessage error",
    [failed("Error")],
    (config) => agentOf([fails()], { middleware: [catching()] }).invoke(ask, config),
  ],
  [
    "8",
    "interrupt() inside a tool",
    [unfailed("interrupted")],
    (config) =>
      agentOf([makeTool(() => interrupt("?"))], { checkpointer: new MemorySaver() }).invoke(ask, {
        ...config,
        configurable: { thread_id: "1" },
      }),
  ],
  [
    "9a",
    "returns Command graph=PARENT",
    [succeeded],
    (config) =>
      makeTool(
        (_, call) =>
          new Command({ graph: Command.PARENT, goto: "other", update: { messages: [answer("success", call)] } }),
      ).invoke(toolCall("t"), config),
  ],
  [
    "9b",
    "ParentCommand thrown through the tool",
    [unfailed("handoff")],
    (config) => agentOf([makeTool(async (_, call) => parentGraph.invoke({ messages: [] }, call))]).invoke(ask, config),
  ],
  [
    "10a",
    "AbortSignal fired mid-run",
    [unfailed("cancelled")],
    (config) => makeTool(() => sleep(500)).invoke(toolCall("t"), { ...config, signal: abortsSoon() }),
  ],
  [
    "10b",
    "config.timeout",
    [failed("timeout")],
    (config) => makeTool(() => sleep(500)).invoke(toolCall("t"), { ...config, timeout: 20 }),
  ],
  [
    "13",
    "MCP tool isError:true",
    [failed("ToolException")],
    async (config) => (await mcpTool("is_error")).invoke(toolCall("is_error"), config),
  ],
  ["13b", "MCP tool success", [succeeded], async (config) => (await mcpTool("ok")).invoke(toolCall("ok"), config)],
  [
    "14a",
    "toolRetryMiddleware: fails once, then succeeds",
    [failed("Error"), succeeded],
    (config) =>
      agentOf([flaky()], { middleware: [toolRetryMiddleware({ maxRetries: 2, ...quick })] }).invoke(ask, config),
  ],
  [
    "14b",
    "toolRetryMiddleware: always fails",
    [failed("Error"), failed("Error"), failed("Error")],
    (config) =>
      agentOf([fails()], { middleware: [toolRetryMiddleware({ maxRetries: 2, ...quick })] }).invoke(ask, config),
  ],
  [
    "15",
    "plain string that begins with Error",
    [succeeded],
    (config) => makeTool(() => "Error: not found").invoke(toolCall("t"), config),
  ],
  ["16a", "5 MB output", [succeeded], (config) => makeTool(() => "x".repeat(5_000_000)).invoke(toolCall("t"), config)],
  [
    "16b",
    "circular output, plain arguments",
    [succeeded],
    (config) => makeTool(() => circular()).invoke({ q: "x" }, config),
  ],
  [
    "16c",
    "BigInt output, plain arguments",
    [succeeded],
    (config) => makeTool(() => ({ n: 1n })).invoke({ q: "x" }, config),
  ],
  [
    "16d",
    "output with a throwing getter, plain arguments",
    [succeeded],
    (config) => makeTool(() => throwingGetter()).invoke({ q: "x" }, config),
  ],
  ["16e", "undefined output", [succeeded], (config) => makeTool(() => undefined).invoke(toolCall("t"), config)],
  [
    "16f",
    "BigInt input, whose start LangChain loses",
    [succeeded],
    (config) =>
      tool(async () => "fine", { name: "t", description: "d", schema: { type: "object", properties: {} } }).invoke(
        toolCall("t", { n: 1n }),
        config,
      ),
  ],
  [
    "18",
    "async-generator tool throws mid-stream",
    [failed("Error")],
    (config) => tool(streams, { name: "t", description: "d", schema }).invoke(toolCall("t"), config),
  ],
  [
    "6c",
    "content_and_artifact, not a two-tuple",
    [failed("invalid_result")],
    (config) => makeTool(() => "oops", { responseFormat: "content_and_artifact" }).invoke(toolCall("t"), config),
    { handler: [unfailed("abandoned")] },
  ],
  [
    "7b",
    "middleware denies: the tool never runs",
    [failed("tool_error")],
    (config) => agentOf([makeTool(() => "x")], { middleware: [denying()] }).invoke(ask, config),
    { wrap: [] },
  ],
  [
    "11a",
    "arguments refused, direct invoke",
    [failed("invalid_arguments")],
    (config) => makeTool(() => "x").invoke(toolCall("t", { bad: 1 }), config),
    { handler: [] },
  ],
  [
    "11b",
    "arguments refused, createAgent",
    [failed("invalid_arguments")],
    (config) => agentOf([makeTool(() => "x")], {}, [asks(toolCall("t", { bad: 1 })), done]).invoke(ask, config),
    { handler: [failed("tool_error")] },
  ],
  [
    "12",
    "unknown tool name",
    [failed("unknown_tool")],
    (config) =>
      agentOf([makeTool(() => "x")], { model: new TellingModel([asks(toolCall("nope")), done]) }).invoke(ask, config),
    { wrap: [] },
  ],
];

const denying = () =>
  createMiddleware({
    name: "denying",
    wrapToolCall: async ({ toolCall: { id } }) =>
      new ToolMessage({ content: "denied", tool_call_id: id!, name: "t", status: "error" }),
  });

const catching = () =>
  createMiddleware({
    name: "catching",
    async wrapToolCall(request, handler) {
      try {
        return await handler(request);
      } catch (error) {
        return new ToolMessage({
          content: String(error),
          tool_call_id: request.toolCall.id!,
          name: "t",
          status: "error",
        });
      }
    },
  });

async function* streams(): AsyncGenerator<string> {
  yield "part";
  throw new Error("mid-stream");
}

function flaky() {
  let runs = 0;
  return makeTool(() => {
    if (runs++ === 0) throw new Error("flaky");
    return "ok";
  });
}

function circular(): unknown {
  const value: Record<string, unknown> = {};
  value["self"] = value;
  return value;
}

function throwingGetter(): unknown {
  return Object.defineProperty({}, "field", {
    enumerable: true,
    get: () => {
      throw new Error("no");
    },
  });
}

function abortsSoon(): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 20);
  return controller.signal;
}

async function mcpTool(name: string) {
  return (await mcpTools()).find((one) => one.name === name)!;
}

/** Runs it to its end, good or bad. */
export async function settle(run: () => unknown): Promise<void> {
  try {
    await run();
  } catch {
    // how it ended is for the span to say
  }
}
