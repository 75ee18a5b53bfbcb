import { setTimeout as sleep } from "node:timers/promises";
import type { Frameworks } from "./frameworks.ts";

/** A real MCP server and client in one process, and the server's tools as LangChain's. */
export async function connectHotelServer({ McpServer, McpClient, InMemoryTransport, loadMcpTools, z }: Frameworks) {
  const server = new McpServer({ name: "hotels", version: "1.0.0" });
  server.registerTool(
    "find_hotel",
    { description: "Finds a hotel room", inputSchema: { city: z.string(), nights: z.number() } },
    async ({ city, nights }) => {
      await sleep(45);
      const isError = nights > 10;
      const text = isError ? `no room for ${nights} nights in ${city}` : `the Grand, ${nights} nights`;
      return { isError, content: [{ type: "text", text }] };
    },
  );
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  const client = new McpClient({ name: "travel-desk", version: "1.0.0" });
  await Promise.all([server.connect(serverSide), client.connect(clientSide)]);
  const tools = await loadMcpTools("hotels", client);
  return {
    tools,
    async close(): Promise<void> {
      await client.close();
      await server.close();
    },
  };
}
