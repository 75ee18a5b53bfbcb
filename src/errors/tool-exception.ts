import { isInstance, read } from "../core/read.ts";
import { toJson } from "../core/json.ts";

/** The mark of a `ToolException` of whichever copy of the library. */
const TOOL_EXCEPTION = Symbol.for("toolspan.ToolException");

/**
 * What a tool throws when it failed and the model may be told so: Python's `langchain_core.tools.ToolException`. Whether
 * the model is told, and what, decides `handleErrors` of `toolspan/langchain/errors`; without it, it is an error like any other.
 *
 * @example
 * throw new ToolException("Search backend unavailable");
 */
export class ToolException extends Error {
  /**
   * What it was made with: nothing, or the one argument. `new ToolException()` and `new ToolException("")` are told to
   * the model in different words.
   */
  readonly args: readonly [] | readonly [argument: unknown];

  /**
   * @param argument what the model is told: a text, content blocks, or any value that has a JSON form; `undefined` counts
   * as not given
   * @param options `cause`: what made the tool fail; it is shown in the span's status
   */
  constructor(argument?: unknown, options?: ErrorOptions) {
    super(textOf(argument), options);
    this.args = argument === undefined ? [] : [argument];
    // A subclass goes by its own name, which becomes the span's `error.type`.
    if (new.target !== ToolException) this.name = new.target.name;
  }

  /** True for one of any copy of the library, and for that of `@langchain/mcp-adapters`, which is known by its name. */
  static is(error: unknown): error is Error {
    return read(error, TOOL_EXCEPTION) === true || (isInstance(error, Error) && error.name === "ToolException");
  }

  get [TOOL_EXCEPTION](): true {
    return true;
  }
}

Object.defineProperty(ToolException.prototype, "name", { value: "ToolException", writable: true });

function textOf(argument: unknown): string | undefined {
  return typeof argument === "string" ? argument : toJson(argument, Number.MAX_SAFE_INTEGER);
}
