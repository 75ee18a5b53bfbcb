/**
 * What watching a whole agent costs, and whether it grows with the number of runs at one time.
 *
 * node --expose-gc bench/agent.mjs [--rounds 15] [--calls 20]
 *
 * A `createAgent` run with ten tool calls, under ToolspanHandler and under a handler that does no more than start and end a span
 * for the same events; and the CPU of a tool's run among 100 and among 10,000 at one time.
 */
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { createAgent } from "langchain";
import { z } from "zod";
import { ToolspanHandler } from "../dist/adapters/langchain.js";
import { measureCpu, quartiles } from "./measure.mjs";
import { BareSpanHandler, meterProvider, tracerProvider } from "./subjects.mjs";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "15" }, calls: { type: "string", default: "20" } },
});
const [rounds, calls] = [Number(values.rounds), Number(values.calls)];
const TOOL_CALLS = 10;

class ScriptedModel extends BaseChatModel {
  _llmType() {
    return "scripted";
  }

  bindTools() {
    return this;
  }

  async _generate(messages) {
    const turn = messages.filter((message) => message.getType() === "tool").length;
    const call = { name: "empty", args: { query: "x" }, id: `call_${turn}`, type: "tool_call" };
    const message = new AIMessage(turn < TOOL_CALLS ? { content: "", tool_calls: [call] } : "done");
    return { generations: [{ text: "", message }] };
  }
}

/** The same spans for the same events, and nothing else. */
class BareAgentHandler extends BareSpanHandler {
  handleChainStart(chain, _inputs, runId) {
    if (chain?.id?.at(-1) === "CompiledStateGraph") this.start("invoke_agent", runId);
  }

  handleChainEnd(_outputs, runId) {
    this.end(runId);
  }

  handleChatModelStart(_model, _messages, runId) {
    this.start("chat", runId);
  }

  handleLLMEnd(_output, runId) {
    this.end(runId);
  }
}

const empty = tool(async () => "x", {
  name: "empty",
  description: "Does nothing",
  schema: z.object({ query: z.string() }),
});
const agent = createAgent({ model: new ScriptedModel({}), tools: [empty] });
const question = { messages: [{ role: "user", content: "go" }] };
const toolCall = { type: "tool_call", name: "empty", id: "call_1", args: { query: "x" } };

function subject(handler, provider, work) {
  return { call: () => work({ callbacks: [handler], recursionLimit: 100 }), flush: async () => provider.forceFlush() };
}
const [own, bare] = [tracerProvider(), tracerProvider()];
const toolspan = new ToolspanHandler({ tracerProvider: own, meterProvider: meterProvider() });
const runAgent = (config) => agent.invoke(question, config);
const among = (many) => (config) => Promise.all(Array.from({ length: many }, () => empty.invoke(toolCall, config)));

const load = loadavg()[0];
const figures = await measureCpu(
  {
    toolspan: subject(toolspan, own, runAgent),
    bare: subject(new BareAgentHandler(bare.getTracer("bare")), bare, runAgent),
  },
  { rounds, calls, warmUp: calls },
);
const ratio = quartiles(figures.toolspan.map((figure, round) => figure / figures.bare[round]));
console.log(
  `node ${process.version}, ${rounds} rounds of ${calls} agent runs with ${TOOL_CALLS} tool calls, load ${load.toFixed(2)}`,
);
console.log(
  `CPU ratio to the bare-span handler: ${[ratio.lower, ratio.median, ratio.upper].map((one) => one.toFixed(3)).join(" ")}   ≤ 1.15 ${ratio.median <= 1.15 ? "met" : "MISSED"}`,
);

/** The same number of runs in each, a hundred at one time or all of them. */
const crowds = (handler, provider) => [
  subject(handler, provider, async (config) => {
    for (let turn = 0; turn < 100; turn++) await among(100)(config);
  }),
  subject(handler, provider, among(10_000)),
];
const [hundred, tenThousand] = crowds(toolspan, own);
const [hundredBare, tenThousandBare] = crowds(new BareAgentHandler(bare.getTracer("bare")), bare);
const many = await measureCpu(
  { hundred, tenThousand, hundredBare, tenThousandBare },
  { rounds: 5, calls: 1, warmUp: 1 },
);
const growthOf = (ten, one) => quartiles(many[ten].map((figure, round) => figure / many[one][round]));
const growth = growthOf("tenThousand", "hundred");
const growthBare = growthOf("tenThousandBare", "hundredBare");
const columns = ({ lower, median, upper }) => [lower, median, upper].map((one) => one.toFixed(3)).join(" ");
console.log(
  `CPU of a run among 10,000 to one among 100: ${columns(growth)}   0.90–1.10 ${Math.abs(growth.median - 1) <= 0.1 ? "met" : "MISSED"}`,
);
console.log(`the same under the bare-span handler:       ${columns(growthBare)}`);
console.log(JSON.stringify({ load, agentRatio: ratio, growth, growthBare }));
