import type { ToolCall } from "../../core/call.ts";
import { className, read, readItems, readText } from "../../core/read.ts";

/**
 * What the call of a tool tells of it.
 *
 * @param input the arguments, or LangChain's `ToolCall` that holds them
 * @param config the `RunnableConfig` of the call
 * @param runManager LangChain's, of the run; there is none where nobody listens
 */
export function toolFacts(tool: object, input: unknown, config: unknown, runManager?: unknown): ToolCall {
  const name = readText(tool, "name") ?? className(tool) ?? "";
  const isToolCall = read(input, "type") === "tool_call";
  const signal = read(config, "signal");
  return {
    key: readText(runManager, "runId") ?? Symbol(name),
    name,
    description: readText(tool, "description"),
    callId: (isToolCall ? readText(input, "id") : undefined) ?? readText(read(config, "toolCall"), "id"),
    args: isToolCall ? read(input, "args") : input,
    agentName: readText(read(runManager, "metadata") ?? read(config, "metadata"), "lc_agent_name"),
    // That of a run is its parent's; that of a config is the run which the call is made in.
    parentKey: readText(runManager ?? read(config, "callbacks"), "_parentRunId"),
    signal: isSignal(signal) ? signal : undefined,
  };
}

function isSignal(value: unknown): value is AbortSignal {
  return typeof read(value, "aborted") === "boolean";
}

/** The values in what a tool returned that may say it failed: the result, and the artifact beside it. */
export function resultParts(tool: object, result: unknown): readonly unknown[] {
  const pair = read(tool, "responseFormat") === "content_and_artifact" ? readItems(result) : undefined;
  if (pair?.length !== 2) return [result];
  const [content, artifact] = pair;
  return readItems(artifact) ? [content] : [content, artifact]; // a list is what was found, not how it went
}

/** LangChain's error for arguments that do not fit the schema. */
export function isRefusal(error: unknown): boolean {
  return className(error) === "ToolInputParsingException";
}
