import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { Agent, McpClient, Model } from "@strands-agents/sdk";

class Scripted extends Model {
  constructor(toolName) {
    super();
    this.toolName = toolName;
  }
  updateConfig() {}
  getConfig() {
    return { modelId: "scripted" };
  }
  async *stream(messages) {
    const answered = messages.at(-1).content.some((block) => block.type === "toolResultBlock");
    yield { type: "modelMessageStartEvent", role: "assistant" };
    yield {
      type: "modelContentBlockStartEvent",
      ...(!answered && { start: { type: "toolUseStart", name: this.toolName, toolUseId: "call_1" } }),
    };
    yield {
      type: "modelContentBlockDeltaEvent",
      delta: answered ? { type: "textDelta", text: "done" } : { type: "toolUseInputDelta", input: "{}" },
    };
    yield { type: "modelContentBlockStopEvent" };
    yield { type: "modelMessageStopEvent", stopReason: answered ? "endTurn" : "toolUse" };
  }
}

/** Its tools come from a real MCP server, so that a result has MCP's form. */
export async function run({ name, run: execute }) {
  const server = new McpServer({ name: "s", version: "1" });
  server.registerTool(name, { description: "A tool.", inputSchema: {} }, async () => {
    const value = execute();
    return value.content
      ? value
      : { content: [{ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) }] };
  });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(theirs);
  return new Agent({ model: new Scripted(name), tools: [new McpClient({ transport: ours })], printer: false }).invoke(
    "go",
  );
}
