/** Tool errors in a loop of your own: each call's span, and the block which tells the model how it ended. */
import { startTracing } from "toolspan/node";

const tracing = await startTracing({ serviceName: "own-loop" });
/** As Anthropic's Messages API has it. */
const uses = [{ type: "tool_use", id: "toolu_1", name: "search", input: { q: "otel" } }] as const;
const { signal } = new AbortController();

// #region readme
import { createRecorder, resultBlock, ToolError } from "toolspan";

const recorder = createRecorder();

const tools = {
  search: async (_args: object): Promise<unknown> => {
    throw ToolError.json({ code: "rate_limited", retryAfter: 30 });
  },
};

const runTool = async ({ id: callId, name, input: args }: (typeof uses)[number]) => {
  try {
    const value = await recorder.run({ name, callId, args, signal }, () => tools[name](args));
    return resultBlock.anthropic({ callId, name, value });
  } catch (error) {
    return resultBlock.anthropic({ callId, name, error }); // is_error: true; a cancelled call is thrown on
  }
};
const content = await Promise.all(uses.map(runTool));
// #endregion

console.log(JSON.stringify(content));
await tracing.flush();
