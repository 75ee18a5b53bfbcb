/**
 * Records how a tracer of LangChain.js writes each scenario: `node langchain.mjs PEER` prints OTLP/JSON request lines, a scenario each.
 * Run it in a copy of this folder after `npm install --ignore-scripts --legacy-peer-deps`; `record-all.sh` does.
 */
import * as callbackManager from "@langchain/core/callbacks/manager";
import { AIMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver, MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { z } from "zod";
import { scenarios } from "./langchain-scenarios.mjs";
import { recorder } from "./recorder.mjs";

const { provider, flushLine } = recorder();

/** Each tracer as its own page says; gives the handlers for `callbacks`, where it works by those. */
const peers = {
  async openinference() {
    const { LangChainInstrumentation } = await import("@arizeai/openinference-instrumentation-langchain");
    const instrumentation = new LangChainInstrumentation({ tracerProvider: provider });
    instrumentation.manuallyInstrument(callbackManager);
    return () => [];
  },
  async traceloop() {
    const { LangChainInstrumentation } = await import("@traceloop/instrumentation-langchain");
    const instrumentation = new LangChainInstrumentation();
    instrumentation.setTracerProvider(provider);
    instrumentation.manuallyInstrument({ callbackManagerModule: callbackManager });
    return () => [];
  },
  async langfuse() {
    const { setLangfuseTracerProvider } = await import("@langfuse/tracing");
    setLangfuseTracerProvider(provider);
    const { CallbackHandler } = await import("@langfuse/langchain");
    return () => [new CallbackHandler()];
  },
  async openlit() {
    // Its package exports only the whole; this is the part for LangChain.
    const { default: OpenlitLangChain } =
      await import("./node_modules/openlit/dist/instrumentation/langchain/index.js");
    const instrumentation = new (OpenlitLangChain.default ?? OpenlitLangChain)();
    instrumentation.setTracerProvider(provider);
    instrumentation.manualPatch(callbackManager);
    return () => [];
  },
};

const callbacks = await peers[process.argv[2]]();

for (const { name, via, format, run } of scenarios) {
  const made = tool(async (_, config) => run(config.toolCall?.id ?? "call_1", config), {
    name,
    description: "A tool.",
    schema: z.object({ x: z.number() }),
    ...(format && { responseFormat: format }),
  });
  const call = { name, args: { x: 1 }, id: "call_1", type: "tool_call" };
  const config = { callbacks: callbacks(), configurable: { thread_id: name } };
  const called = {
    call: () => made.invoke(call, config),
    args: () => made.invoke({ x: 1 }, config),
    graph: () =>
      new StateGraph(MessagesAnnotation)
        .addNode("tools", new ToolNode([made]))
        .addEdge("__start__", "tools")
        .compile({ checkpointer: new MemorySaver() })
        .invoke({ messages: [new AIMessage({ content: "", tool_calls: [call] })] }, config),
  };
  await called[via]().catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 20));
  console.log(await flushLine(name));
}
