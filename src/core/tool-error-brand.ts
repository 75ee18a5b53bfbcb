import { read, readText } from "./read.ts";

/**
 * The mark of a `ToolError`, of whichever copy or version of the library: `instanceof` fails between an ES module and a
 * CommonJS copy, and a name is anyone's to use.
 */
export const TOOL_ERROR = Symbol.for("toolspan.ToolError");

/** Which kind of `ToolError` a thrown value is, or nothing. A later version may know kinds that this one does not. */
export function toolErrorKind(error: unknown): string | undefined {
  if (read(error, TOOL_ERROR) !== true) return undefined;
  return readText(error, "kind") ?? "message";
}
