/** Real LangChain parts, scripted: a chat model that plays given answers, tools, and an MCP server in memory. */
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import type { RunnableConfig } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { loadMcpTools } from "@langchain/mcp-adapters";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import * as langchain from "langchain";
import { z } from "zod";

export class ScriptedModel extends BaseChatModel {
  private readonly answers: readonly AIMessage[];
  private next = 0;

  constructor(answers: readonly AIMessage[]) {
    super({});
    this.answers = answers;
  }

  _llmType(): string {
    return "scripted";
  }

  override bindTools(): this {
    return this;
  }

  async _generate(_messages: BaseMessage[]): Promise<ChatResult> {
    const answer = this.answers[Math.min(this.next++, this.answers.length - 1)]!;
    // A new one each time, as a provider's: LangGraph writes an id on it.
    const message = new AIMessage({ ...answer.lc_kwargs });
    return { generations: [{ text: String(message.content), message }] };
  }
}

/** One that says what it is and which tools it was offered, as the models of providers do. */
export class TellingModel extends ScriptedModel {
  private offered: readonly { name: string }[] = [];

  override bindTools(tools?: readonly unknown[]): this {
    this.offered = (tools ?? []) as { name: string }[];
    return this;
  }

  override invocationParams(): unknown {
    return { model: "scripted-1", tools: this.offered.map(({ name }) => ({ type: "function", function: { name } })) };
  }

  override getLsParams() {
    return { ...super.getLsParams({} as never), ls_provider: "acme", ls_model_name: "scripted" };
  }
}

export const toolCall = (name: string, args: Record<string, unknown> = { q: "x" }, id = "call_1") =>
  ({ name, args, id, type: "tool_call" }) as const;

export const asks = (...calls: ReturnType<typeof toolCall>[]): AIMessage =>
  new AIMessage({ content: "", tool_calls: calls });

export const done = new AIMessage("done");

export const schema = z.object({ q: z.string() });

type ToolBody = (input: { q: string }, config: RunnableConfig & { toolCall?: { id?: string } }) => unknown;

/** A tool called "t" that takes `{ q }`. */
export const makeTool = (body: ToolBody, fields: { responseFormat?: string; name?: string } = {}) =>
  tool(async (input: { q: string }, config) => body(input, config), { name: "t", description: "d", schema, ...fields });

export const fails = (message = "boom") =>
  makeTool(() => {
    throw new Error(message);
  });

export const answer = (status: "error" | "success", config?: { toolCall?: { id?: string } }, content = "body") =>
  new ToolMessage({ content, tool_call_id: config?.toolCall?.id ?? "call_1", name: "t", status });

/**
 * LangChain 0.3 has no agents with middleware (its agents are LangGraph's), lets a tool run on after its caller's stop, runs no
 * generators, and refuses input that is not JSON where there are callbacks.
 */
export const isLangChain1 = "createAgent" in langchain;

/** LangChain's own types do not allow for `exactOptionalPropertyTypes`, so what else an agent takes is not typed here. */
type AgentOptions = Readonly<Record<"name" | "model" | "middleware" | "checkpointer", unknown>>;
type Agent = ReturnType<typeof langchain.createAgent>;

/** An agent whose model asks for the given calls, a message each, and then is done. */
export function agentOf(
  tools: readonly unknown[],
  options: Partial<AgentOptions> = {},
  answers: readonly AIMessage[] = [asks(toolCall("t")), done],
): Agent {
  const model = options.model ?? new ScriptedModel(answers);
  if (isLangChain1) return langchain.createAgent({ tools, ...options, model } as never);
  return createReactAgent({ tools, ...options, llm: model } as never) as never;
}

export const ask = { messages: [{ role: "user", content: "go" }] };

/** The tools of a real MCP server, as LangChain's adapter gives them. @param options the adapter's own */
export async function mcpTools(
  options: NonNullable<Parameters<typeof loadMcpTools>[2]> = {},
): Promise<Awaited<ReturnType<typeof loadMcpTools>>> {
  const server = new McpServer({ name: "srv", version: "1" });
  const inputSchema = { q: z.string() };
  server.registerTool("ok", { inputSchema }, async ({ q }) => ({ content: [{ type: "text", text: `hi ${q}` }] }));
  server.registerTool("is_error", { inputSchema }, async () => ({
    isError: true,
    content: [{ type: "text", text: "upstream 503" }],
  }));
  server.registerTool("slow", { inputSchema }, async () => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    return { content: [] };
  });
  const [serverSide, clientSide] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "client", version: "1" });
  await Promise.all([server.connect(serverSide), client.connect(clientSide)]);
  return loadMcpTools("srv", client, options);
}
