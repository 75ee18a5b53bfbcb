import { errorMessage } from "../core/describe-error.ts";
import { read, readItems } from "../core/read.ts";
import { toolErrorKind } from "../core/tool-error-brand.ts";
import type { ErrorOutput } from "./tool-error.ts";
import { ToolException } from "./tool-exception.ts";

/** What a `ToolException` without an argument is told as; LangChain's Python words. */
const TOOL_EXECUTION_ERROR = "Tool execution error";

/**
 * What the model is told of an error: the value of a `ToolError`, the argument of a `ToolException`, the message of any
 * other, with what its causes add. Read by mark, since the error may be of another copy or a later version of the library.
 */
export function toldToModel(error: unknown): ErrorOutput {
  const kind = toolErrorKind(error);
  if (kind === "json") return { type: "error-json", value: read(error, "value") };
  if (kind !== undefined) return text(read(error, "message"), error);
  if (!ToolException.is(error)) return { type: "error-text", value: errorMessage(error) };
  const args = readItems(read(error, "args"));
  if (!args) return text(error.message || TOOL_EXECUTION_ERROR, error); // that of `@langchain/mcp-adapters`
  const [argument = TOOL_EXECUTION_ERROR] = args;
  return typeof argument === "string" ? text(argument, error) : { type: "error-json", value: argument };
}

function text(message: unknown, error: unknown): ErrorOutput {
  return { type: "error-text", value: typeof message === "string" ? message : errorMessage(error) };
}
