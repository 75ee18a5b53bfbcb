/** A framework that has no adapter yet, and says what its tools do by events. */
import { EventEmitter } from "node:events";
import { startTracing } from "toolspan/node";

const tracing = await startTracing({ serviceName: "own-framework" });
const framework = new EventEmitter();

// #region readme
import { createRecorder } from "toolspan";

const recorder = createRecorder({
  // Your tools' own way of saying that they failed; text is never searched for words like "error".
  isFailure: (value) => (value as { ok?: boolean } | undefined)?.ok === false,
});

framework.on("tool-start", ({ runId, name, callId, args }) => recorder.onToolStart({ key: runId, name, callId, args }));
framework.on("tool-end", ({ runId, value }) => recorder.onToolEnd(runId, value));
framework.on("tool-error", ({ runId, error }) => recorder.onToolError(runId, error));
// #endregion

framework.emit("tool-start", { runId: "run-1", name: "lookup", callId: "call_1", args: { id: 7 } });
framework.emit("tool-end", { runId: "run-1", value: { ok: false, why: "no such row" } });
await tracing.flush();
