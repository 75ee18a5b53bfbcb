import type { loadMcpTools } from "@langchain/mcp-adapters";
import type * as callbackManagerModule from "@langchain/core/callbacks/manager";
import type { awaitAllCallbacks } from "@langchain/core/callbacks/promises";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { AIMessage, ToolMessage } from "@langchain/core/messages";
import type * as toolsModule from "@langchain/core/tools";
import type { Command, interrupt, MemorySaver } from "@langchain/langgraph";
import type { SpanKind, SpanStatusCode } from "@opentelemetry/api";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { AgentMiddleware, createAgent } from "langchain";
import type { z } from "zod";

/** What the demo uses of the frameworks it plays. */
export interface Frameworks {
  readonly createAgent: typeof createAgent;
  readonly humanInTheLoopMiddleware: (options: { readonly interruptOn: Record<string, boolean> }) => AgentMiddleware;
  readonly toolRetryMiddleware: (options: RetryOptions) => AgentMiddleware;
  readonly tool: typeof toolsModule.tool;
  readonly toolsModule: typeof toolsModule;
  readonly ToolMessage: typeof ToolMessage;
  readonly AIMessage: typeof AIMessage;
  readonly BaseChatModel: typeof BaseChatModel;
  readonly callbackManagerModule: typeof callbackManagerModule;
  readonly awaitAllCallbacks: typeof awaitAllCallbacks;
  readonly Command: typeof Command;
  readonly MemorySaver: typeof MemorySaver;
  readonly interrupt: typeof interrupt;
  readonly loadMcpTools: typeof loadMcpTools;
  readonly McpServer: typeof McpServer;
  readonly McpClient: typeof Client;
  readonly InMemoryTransport: typeof InMemoryTransport;
  readonly z: typeof z;
  readonly SpanKind: typeof SpanKind;
  readonly SpanStatusCode: typeof SpanStatusCode;
}

interface RetryOptions {
  readonly maxRetries: number;
  readonly initialDelayMs: number;
  readonly jitter: boolean;
}

/** Imports them, which works only where they are installed: `toolspan` installs none. */
export async function loadFrameworks(): Promise<Frameworks> {
  const [
    langchain,
    tools,
    messages,
    chatModels,
    manager,
    promises,
    langgraph,
    adapters,
    server,
    client,
    memory,
    zod,
    api,
  ] = await Promise.all([
    import("langchain"),
    import("@langchain/core/tools"),
    import("@langchain/core/messages"),
    import("@langchain/core/language_models/chat_models"),
    import("@langchain/core/callbacks/manager"),
    import("@langchain/core/callbacks/promises"),
    import("@langchain/langgraph"),
    import("@langchain/mcp-adapters"),
    import("@modelcontextprotocol/sdk/server/mcp.js"),
    import("@modelcontextprotocol/sdk/client/index.js"),
    import("@modelcontextprotocol/sdk/inMemory.js"),
    import("zod"),
    import("@opentelemetry/api"),
  ]);
  return {
    createAgent: langchain.createAgent,
    // LangChain's own types of these two do not allow for `exactOptionalPropertyTypes`.
    humanInTheLoopMiddleware: langchain.humanInTheLoopMiddleware as unknown as Frameworks["humanInTheLoopMiddleware"],
    toolRetryMiddleware: langchain.toolRetryMiddleware as unknown as Frameworks["toolRetryMiddleware"],
    tool: tools.tool,
    toolsModule: tools,
    ToolMessage: messages.ToolMessage,
    AIMessage: messages.AIMessage,
    BaseChatModel: chatModels.BaseChatModel,
    callbackManagerModule: manager,
    awaitAllCallbacks: promises.awaitAllCallbacks,
    Command: langgraph.Command,
    MemorySaver: langgraph.MemorySaver,
    interrupt: langgraph.interrupt,
    loadMcpTools: adapters.loadMcpTools,
    McpServer: server.McpServer,
    McpClient: client.Client,
    InMemoryTransport: memory.InMemoryTransport,
    z: zod.z,
    SpanKind: api.SpanKind,
    SpanStatusCode: api.SpanStatusCode,
  };
}
