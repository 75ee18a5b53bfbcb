/** What LangChain's Python has as `handle_tool_error`: a failed tool's words go to the model, and its span is ERROR. */
import { AIMessage, createAgent, fakeModel } from "langchain";
import { z } from "zod";
import { ToolspanHandler } from "toolspan/langchain";
import { startTracing } from "toolspan/node";

const tracing = await startTracing({ serviceName: "travel-desk" });
const backend = { search: async (_q: string) => ({ status: 503, hits: [] as string[] }) };
const schema = z.object({ q: z.string() });

// #region readme
import { tool } from "langchain";
import { ToolException } from "toolspan";
import { handleErrors } from "toolspan/langchain/errors";

const search = handleErrors(
  tool(
    async ({ q }) => {
      const { status, hits } = await backend.search(q);
      if (status === 503) throw new ToolException("the search backend is down");
      return hits;
    },
    { name: "search", description: "Searches the web", schema },
  ),
  { handleToolError: true, handleValidationError: "Give a short text as q" },
);
// #endregion

const model = fakeModel()
  .respondWithTools([{ name: "search", args: { q: "otel" } }])
  .respond(new AIMessage("The search does not work now."));
const agent = createAgent({ model, tools: [search] });
const { messages } = await agent.invoke(
  { messages: [{ role: "user", content: "Search for otel" }] },
  { callbacks: [new ToolspanHandler()] },
);
console.log(messages.at(-2)?.text);
await tracing.flush();
