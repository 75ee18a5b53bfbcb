/**
 * The frameworks the demo plays, each by an import that runs only when the demo does: `toolspan` installs none of them.
 */
export async function loadFrameworks() {
  const [langchain, tools, messages, chatModels, manager, promises, langgraph, adapters, server, client, memory, zod] =
    await Promise.all([
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
    ]);
  return {
    createAgent: langchain.createAgent,
    tool: tools.tool,
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
  };
}

export type Frameworks = Awaited<ReturnType<typeof loadFrameworks>>;
