import type { CallFacts } from "./call.ts";
import { lowCardinality } from "./describe-error.ts";
import { toJson } from "./json.ts";
import type { Outcome } from "./outcome.ts";
import { toolError } from "./outcome.ts";
import { isObject, read, readItems, readKeys, readText } from "./read.ts";
import { fromThrown } from "./thrown.ts";
import { contentText, toolMessagesOf } from "./tool-message.ts";

/**
 * One sign of failure: a pure function from what a tool returned to an outcome, or to nothing when the sign is not there.
 * A rule reads structure, never text: "0 errors found" and `{ error: null }` are successes.
 */
export type Rule = (value: unknown, call: CallFacts) => Outcome | undefined;

/** LangChain's `ToolMessage` with `status: "error"`: alone, in a `Command`, in a list, or as the content of a message. */
export function toolMessageError(value: unknown, call: CallFacts): Outcome | undefined {
  const failed = toolMessagesOf(value, call).find((message) => read(message, "status") === "error");
  if (!failed) return undefined;
  return toolError(contentText(read(failed, "content")), declaredCode(read(failed, "artifact")));
}

/** LangChain hands an object marked `lc_direct_tool_output` through as it is, so its `status` is the tool's own word. */
export function directOutputError(value: unknown): Outcome | undefined {
  if (read(value, "lc_direct_tool_output") !== true || read(value, "status") !== "error") return undefined;
  return toolError(contentText(read(value, "content")));
}

/** MCP `CallToolResult` with `isError: true` (MCP specification, tools: error handling). */
export function mcpError(value: unknown): Outcome | undefined {
  if (read(value, "isError") !== true || !isCallToolResult(value)) return undefined;
  return toolError(contentText(read(value, "content")), declaredCode(value));
}

const MCP_FIELDS = new Set(["content", "structuredContent", "isError", "_meta"]);

/** A result has a list of typed blocks; one without content has none but the protocol's own fields. */
function isCallToolResult(value: unknown): boolean {
  const content = read(value, "content");
  if (content === undefined || content === null) return readKeys(value).every((key) => MCP_FIELDS.has(key));
  return readItems(content)?.every((block) => readText(block, "type") !== undefined) === true;
}

/** An MCP server's structured error body may name a code; text elsewhere never becomes an `error.type`. */
function declaredCode(result: unknown): string | undefined {
  return lowCardinality(read(read(result, "structuredContent"), "code"));
}

/** Anthropic `tool_result` block with `is_error: true`. */
export function anthropicError(value: unknown): Outcome | undefined {
  const isResult = read(value, "type") === "tool_result" && readText(value, "tool_use_id") !== undefined;
  return isResult && read(value, "is_error") === true ? toolError(contentText(read(value, "content"))) : undefined;
}

/** Bedrock Converse `toolResult` block with `status: "error"`, bare or in its wrapper. */
export function bedrockError(value: unknown): Outcome | undefined {
  const block = isObject(read(value, "toolResult")) ? read(value, "toolResult") : value;
  const content = readItems(read(block, "content"));
  if (readText(block, "toolUseId") === undefined || content === undefined) return undefined;
  return read(block, "status") === "error" ? toolError(contentText(content)) : undefined;
}

/** AI SDK tool output: `error-text`, `error-json` and `execution-denied`, bare or in a `tool-result` or `tool-error` part. */
export function aiSdkError(value: unknown, call: CallFacts): Outcome | undefined {
  switch (read(value, "type")) {
    case "error-text": {
      const text = read(value, "value");
      return typeof text === "string" ? toolError(text) : undefined;
    }
    case "error-json": {
      const json = read(value, "value");
      return json === undefined ? undefined : toolError(String(toJson(json, 1024)), lowCardinality(read(json, "code")));
    }
    case "execution-denied":
      return { kind: "denied", message: readText(value, "reason") ?? "" };
    case "tool-result":
      return readText(value, "toolCallId") === undefined ? undefined : aiSdkError(read(value, "output"), call);
    case "tool-error":
      return readText(value, "toolCallId") === undefined ? undefined : reportedError(read(value, "error"), call);
    default:
      return undefined;
  }
}

/** A part that reports what the tool threw; for refused calls it holds only a text. */
function reportedError(error: unknown, call: CallFacts): Outcome {
  return typeof error === "string" ? toolError(error) : fromThrown(error, call);
}

/** The failure shapes which frameworks brand or fully form, so that no tool's own data is mistaken for one. */
export const defaultRules: readonly Rule[] = [
  toolMessageError,
  directOutputError,
  mcpError,
  anthropicError,
  bedrockError,
  aiSdkError,
];
