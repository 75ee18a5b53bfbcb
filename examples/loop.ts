/** Tools in a loop of your own: no framework, no adapter. */
import { startTracing } from "toolspan/node";

const tracing = await startTracing({ serviceName: "own-loop" });
const search = async (_args: { q: string }, _signal: AbortSignal) => ({
  isError: true,
  content: [{ type: "text", text: "index is rebuilding" }],
});
const call = { id: "call_1", name: "search", args: { q: "otel" } };
const { signal } = new AbortController();

// #region readme
import { createRecorder } from "toolspan";

const recorder = createRecorder();

const result = await recorder.run(
  { name: call.name, callId: call.id, args: call.args, signal },
  () => search(call.args, signal), // HTTP, database and MCP spans made in here are children of the tool's span
);
// #endregion

console.log(result);
await tracing.flush();
