import type { StructuredTool } from "@langchain/core/tools";
import { loadMcpTools } from "@langchain/mcp-adapters";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

type Hooks = Pick<NonNullable<Parameters<typeof loadMcpTools>[2]>, "beforeToolCall" | "afterToolCall">;

export interface McpSetting {
  readonly client: Client;
  /** The server's tools as LangChain's adapter gives them. */
  readonly tools: Readonly<Record<string, StructuredTool>>;
  /** The names of the tools that the server was called for, in order. */
  readonly called: readonly string[];
}

/**
 * A real MCP server and client in one process, at the level of the protocol: what a tool's function returns is its result as it
 * is, and what it throws is a JSON-RPC error.
 */
export async function mcpSetting(
  answers: Readonly<Record<string, () => unknown>>,
  hooks: Hooks = {},
): Promise<McpSetting> {
  const called: string[] = [];
  const server = new Server({ name: "srv", version: "1" }, { capabilities: { tools: {} } });
  const inputSchema = { type: "object", properties: { q: { type: "string" } } } as const;
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: Object.keys(answers).map((name) => ({ name, inputSchema })),
  }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    called.push(params.name);
    return answers[params.name]!() as Record<string, unknown>;
  });
  const [serverSide, clientSide] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "client", version: "1" });
  await Promise.all([server.connect(serverSide), client.connect(clientSide)]);
  const tools = await loadMcpTools("srv", client, hooks);
  return { client, tools: Object.fromEntries(tools.map((one) => [one.name, one])), called };
}

export const text = (words: string) => ({ content: [{ type: "text", text: words }] });
