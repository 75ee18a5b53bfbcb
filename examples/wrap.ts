/** Handler and wrap together: refused arguments are seen, and what a tool calls is inside its span. */
import { trace } from "@opentelemetry/api";
import { AIMessage, createAgent, fakeModel, tool } from "langchain";
import { z } from "zod";
import { startTracing } from "toolspan/node";

const tracing = await startTracing({ serviceName: "travel-desk" });
/** Stands for an HTTP client with an instrumentation of its own. */
const request = (path: string) => trace.getTracer("http").startSpan(`GET ${path}`).end();
const weather = tool(
  ({ city }) => {
    request("/weather");
    return `sunny in ${city}`;
  },
  { name: "weather", description: "The weather in a city", schema: z.object({ city: z.string() }) },
);
const model = fakeModel()
  .respondWithTools([{ name: "weather", args: { town: "Oslo" } }])
  .respondWithTools([{ name: "weather", args: { city: "Oslo" } }])
  .respond(new AIMessage("Sunny."));
const agent = createAgent({ model, tools: [weather] });
const input = { messages: [{ role: "user", content: "How is the weather in Oslo?" }] };

// #region readme
import * as tools from "@langchain/core/tools";
import { instrumentLangChain, ToolspanHandler } from "toolspan/langchain";

const undo = instrumentLangChain(tools); // once, where the application starts

await agent.invoke(input, { callbacks: [new ToolspanHandler()] });
// #endregion

undo();
await tracing.flush();
