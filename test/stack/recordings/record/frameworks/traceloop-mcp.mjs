import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { McpInstrumentation } from "@traceloop/instrumentation-mcp";

let instrumentation;

export async function run({ name, run: execute }, provider) {
  if (!instrumentation) {
    instrumentation = new McpInstrumentation();
    instrumentation.setTracerProvider(provider);
    instrumentation.manuallyInstrument({ Client });
  }
  const server = new McpServer({ name: "s", version: "1" });
  server.registerTool(name, { description: "A tool.", inputSchema: {} }, async () => {
    const value = execute();
    return value.content
      ? value
      : { content: [{ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) }] };
  });
  const client = new Client({ name: "c", version: "1" });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(theirs), client.connect(ours)]);
  return client.callTool({ name, arguments: {} });
}
