/** The wrap among an application's other instrumentations. */
import { tool } from "langchain";
import { startTracing } from "toolspan/node";

const tracing = await startTracing({ serviceName: "travel-desk" });

// #region readme
import * as tools from "@langchain/core/tools";
import { registerInstrumentations } from "@opentelemetry/instrumentation";
import { LangChainInstrumentation } from "toolspan/langchain";

const unload = registerInstrumentations({ instrumentations: [new LangChainInstrumentation(tools)] });
// #endregion

const weather = tool(() => ({ isError: true, content: [{ type: "text", text: "no weather for Oslo" }] }), {
  name: "weather",
  description: "The weather",
  schema: { type: "object", properties: {} },
});
await weather.invoke({ name: "weather", args: {}, id: "call_1", type: "tool_call" });
unload();
await tracing.flush();
