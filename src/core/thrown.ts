import type { CallFacts } from "./call.ts";
import { causeChain, errorMessage, errorType } from "./describe-error.ts";
import type { Outcome } from "./outcome.ts";
import { TIMEOUT } from "./outcome.ts";
import { className, read, readText } from "./read.ts";
import { toolErrorKind } from "./tool-error-brand.ts";

/**
 * What a thrown value means: control flow, the caller's stop, a deadline, or a failure. Anything can be thrown.
 *
 * @param type `error.type` of a failure, where it is known from elsewhere
 */
export function fromThrown(error: unknown, call: CallFacts = {}, type: string = errorType(error)): Outcome {
  const thrown = { error };
  const flow = controlFlow(error);
  if (flow) return { kind: flow, thrown };
  if (toolErrorKind(error) === "cancelled") return { kind: "cancelled", message: errorMessage(error), thrown };
  const { signal } = call;
  const stopped =
    signal === undefined ? isAbortError(error) : isAborted(signal) && comesFrom(error, read(signal, "reason"));
  const deadline = isTimeout(error) || (stopped && isTimeout(read(signal, "reason")));
  if (stopped && !deadline) return { kind: "cancelled", message: errorMessage(error), thrown };
  return { kind: "error", type: deadline ? TIMEOUT : type, message: errorMessage(error), thrown };
}

/**
 * LangGraph's own mark for what it throws to steer the graph (`isGraphBubbleUp`). A name alone proves nothing: an error
 * that merely calls itself `GraphInterrupt` is an error.
 */
function controlFlow(error: unknown): "interrupted" | "handoff" | undefined {
  if (read(error, "is_bubble_up") !== true) return undefined;
  const waits = Array.isArray(read(error, "interrupts")) || readText(error, "name")?.endsWith("Interrupt");
  return waits ? "interrupted" : "handoff";
}

/** What runtimes and HTTP clients throw when a signal stops them. */
export function isAbortError(error: unknown): boolean {
  const name = readText(error, "name");
  const code = read(error, "code");
  return (
    name === "AbortError" ||
    name === "ModelAbortError" || // LangChain's chat models
    code === "ABORT_ERR" || // Node
    code === "ERR_CANCELED" || // axios
    className(error) === "APIUserAbortError" // OpenAI, Anthropic: its name is "Error"
  );
}

/** A deadline of the tool, the framework or the protocol; also an abort that a deadline caused. */
function isTimeout(error: unknown): boolean {
  if (readText(error, "name") === "TimeoutError") return true;
  if (isAbortError(error)) return causeChain(error).slice(1).some(isTimeout);
  const requestTimeout = read(error, "code") === -32001 && typeof read(read(error, "data"), "timeout") === "number";
  return requestTimeout && readText(error, "name") === "McpError";
}

function isAborted(signal: AbortSignal): boolean {
  return read(signal, "aborted") === true;
}

/** While a signal happens to be aborted, an unrelated error stays an error. */
function comesFrom(error: unknown, reason: unknown): boolean {
  return causeChain(error).some((link) => link === reason || isAbortError(link) || quotes(link, reason));
}

/**
 * Frameworks make an error of their own from the reason (LangChain: `new Error(reason)`, or "Aborted" when the reason is no
 * error and no text, in 0.3 whatever it is) or wrap it by text alone (MCP adapters: "Error calling tool …: AbortError: …").
 */
function quotes(error: unknown, reason: unknown): boolean {
  const message = readText(error, "message");
  if (message === undefined) return false;
  const words = reasonText(reason);
  return message === LANGCHAINS_WORD || message === words || message.endsWith(`: ${words}`);
}

const LANGCHAINS_WORD = "Aborted";

function reasonText(reason: unknown): string {
  if (typeof reason === "string") return reason;
  return `${readText(reason, "name") ?? "Error"}: ${readText(reason, "message")}`;
}
