/** A LangChain.js agent whose tool fails, traced. Runs as it is: the model is scripted, so no key and no network. */
import { AIMessage, createAgent, fakeModel, tool } from "langchain";
import { z } from "zod";

const model = fakeModel()
  .respondWithTools([{ name: "weather", args: { city: "Oslo" } }])
  .respond(new AIMessage("I could not find out."));
const weather = tool(
  ({ city }) => {
    throw new Error(`no weather for ${city}`);
  },
  { name: "weather", description: "The weather in a city", schema: z.object({ city: z.string() }) },
);
const tools = [weather];

// #region readme
import { ToolspanHandler } from "toolspan/langchain";
import { startTracing } from "toolspan/node";

const tracing = await startTracing({ serviceName: "travel-desk" }); // to localhost:4318, or OTEL_EXPORTER_OTLP_ENDPOINT

const agent = createAgent({ model, tools });
await agent.invoke(
  { messages: [{ role: "user", content: "How is the weather in Oslo?" }] },
  { callbacks: [new ToolspanHandler()] },
);

await tracing.flush();
// #endregion
