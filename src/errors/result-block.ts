import { classify } from "../core/classify.ts";
import { toJson } from "../core/json.ts";
import { isObject, readItems } from "../core/read.ts";
import { resultContent } from "../core/tool-message.ts";
import { toolErrorKind } from "../core/tool-error-brand.ts";
import { toldToModel } from "./told-to-model.ts";
import type { ErrorOutput } from "./tool-error.ts";

/** How a call that the model asked for ended: what the tool returned, or what it threw. */
export type SettledCall = {
  /** The id that the model gave the call. */
  readonly callId: string;
  readonly name: string;
} & ({ readonly value: unknown } | { readonly error: unknown });

/** Gemini gives its calls an id only in some of its APIs. */
type MaybeWithoutId<Call> = Call extends unknown
  ? Omit<Call, "callId"> & { readonly callId?: string | undefined }
  : never;

type Output =
  | ErrorOutput
  | { readonly type: "text"; readonly value: string }
  | { readonly type: "json"; readonly value: unknown };

/**
 * The block by which each provider's API takes a tool's result, from a settled call, with the provider's own flag for a
 * failure; OpenAI has none, so there the text says it. A value that reports a failure in a shape which a framework
 * defines (MCP `isError`, a `ToolMessage` with `status: "error"`, …) makes a failed block too, by the rules of the spans.
 *
 * Each throws a cancelled `ToolError` on: it has no result, and stops the loop.
 *
 * @example
 * messages.push({ role: "user", content: [resultBlock.anthropic({ callId: use.id, name: use.name, value })] });
 */
export const resultBlock = {
  /** Chat Completions: a message of role `tool`. */
  openaiChat(call: SettledCall) {
    return { role: "tool", tool_call_id: call.callId, content: unflaggedText(outputOf(call)) } as const;
  },

  /** Responses API: an item `function_call_output`. */
  openaiResponses(call: SettledCall) {
    return { type: "function_call_output", call_id: call.callId, output: unflaggedText(outputOf(call)) } as const;
  },

  /** Messages API: a `tool_result` block for a message of role `user`. */
  anthropic(call: SettledCall) {
    const output = outputOf(call);
    const block = { type: "tool_result", tool_use_id: call.callId, content: textOf(output.value) } as const;
    return isError(output) ? ({ ...block, is_error: true } as const) : block;
  },

  /** Converse: a `toolResult` block for a message of role `user`. */
  bedrock(call: SettledCall) {
    const output = outputOf(call);
    const status = isError(output) ? ("error" as const) : ("success" as const);
    return { toolResult: { toolUseId: call.callId, content: bedrockContent(output), status } };
  },

  /** Gemini: a part with a `functionResponse`. */
  gemini(call: MaybeWithoutId<SettledCall>) {
    const output = outputOf(call);
    const value = jsonOf(output.value);
    const response = isError(output) ? { error: value } : { output: value };
    return { functionResponse: { ...(call.callId && { id: call.callId }), name: call.name, response } };
  },

  /** AI SDK: a `tool-result` part for a message of role `tool`. */
  aiSdk(call: SettledCall) {
    const output = outputOf(call);
    const json = { type: output.type, value: jsonOf(output.value) } as Output;
    return { type: "tool-result", toolCallId: call.callId, toolName: call.name, output: json } as const;
  },
};

function outputOf(call: MaybeWithoutId<SettledCall>): Output {
  if ("error" in call) {
    if (toolErrorKind(call.error) === "cancelled") throw call.error;
    return toldToModel(call.error);
  }
  const outcome = classify({ kind: "returned", value: call.value }, undefined, {
    callId: call.callId,
    name: call.name,
  });
  const content = resultContent(call.value, call);
  if (outcome.kind === "error") return { type: "error-text", value: outcome.message || textOf(content) };
  return typeof content === "string" ? { type: "text", value: content } : { type: "json", value: content };
}

function isError(output: Output): boolean {
  return output.type === "error-text" || output.type === "error-json";
}

/** For an API that has no flag. */
function unflaggedText(output: Output): string {
  return textOf(isError(output) ? { error: output.value } : output.value);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (toJson(value, Number.MAX_SAFE_INTEGER) ?? "null");
}

/** The value as JSON has it: BigInt, Date, Map and cycles would fail in the provider's client. */
function jsonOf(value: unknown): unknown {
  return typeof value === "string" ? value : (JSON.parse(textOf(value)) as unknown);
}

/** Bedrock takes only objects as JSON, and no blank text. */
function bedrockContent({ value }: Output): readonly ({ readonly json: unknown } | { readonly text: string })[] {
  const json = jsonOf(value);
  if (isObject(json) && !readItems(json)) return [{ json }];
  const text = textOf(json);
  return text.trim() === "" ? [] : [{ text }];
}
