import { errorMessage } from "../core/describe-error.ts";
import { toJson } from "../core/json.ts";
import { isInstance } from "../core/read.ts";
import { TOOL_ERROR, toolErrorKind } from "../core/tool-error-brand.ts";

/** How a tool failed. Later versions may add kinds: a `switch` over them needs a `default`. */
export type ToolErrorKind = "message" | "json" | "timeout" | "cancelled" | (string & {});

/** What the model is told of an error, in the AI SDK's words. */
export type ErrorOutput =
  | { readonly type: "error-text"; readonly value: string }
  | { readonly type: "error-json"; readonly value: unknown };

interface ToolErrorFields extends ErrorOptions {
  readonly value?: unknown;
  readonly timeoutMs?: number;
}

/**
 * What a tool throws when it failed and knows how. One class with a `kind`, made by `ToolError.message`, `.json`,
 * `.timeout`, `.cancelled` and `.from`; told apart from other errors by `ToolError.is`, never by `instanceof` alone.
 *
 * Only `cancelled` is fatal: it stops the whole call wherever the framework lets a tool do so. Where it does not, as in
 * LangChain's `ToolNode`, which answers every thrown error, the model gets its text and the span is still that of a
 * cancelled call. All other kinds go back to the model.
 */
export class ToolError extends Error {
  readonly kind: ToolErrorKind;
  /** Of kind `json`: what the model gets. A short `code` in it becomes the span's `error.type`. */
  declare readonly value?: unknown;
  /** Of kind `timeout`: the deadline, in milliseconds. */
  declare readonly timeoutMs?: number;

  private constructor(kind: ToolErrorKind, message: string | undefined, { cause, ...fields }: ToolErrorFields = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    Object.assign(this, fields);
    // Frameworks and HTTP clients know these two by their names.
    if (kind === "timeout") this.name = "TimeoutError";
    if (kind === "cancelled") this.name = "AbortError";
  }

  /** Failed, in words: `error.type` is `ToolError`. */
  static message(message: string, options: ErrorOptions = {}): ToolError {
    return new ToolError("message", message, options);
  }

  /**
   * Failed, with a value for the model: `error.type` is its `code` if that is a short word, else `ToolError`.
   *
   * @param options `message`: the words for logs and for the span's status. Default: the value's JSON
   */
  static json(value: unknown, { message, ...options }: ErrorOptions & { readonly message?: string } = {}): ToolError {
    return new ToolError("json", message ?? toJson(value, MOST_JSON), { ...options, value });
  }

  /** A deadline passed: `error.type` is `timeout`. @param timeoutMs the deadline, in milliseconds */
  static timeout(timeoutMs: number, options: ErrorOptions = {}): ToolError {
    return new ToolError("timeout", `tool execution timed out after ${timeoutMs}ms`, { ...options, timeoutMs });
  }

  /** Somebody stopped the call: it did not fail, its outcome is `cancelled`. */
  static cancelled(options: ErrorOptions = {}): ToolError {
    return new ToolError("cancelled", "tool execution cancelled", options);
  }

  /** Anything that was thrown, by its text and as the cause of a `message`; a `ToolError` stays what it is. */
  static from(error: unknown): ToolError {
    if (ToolError.is(error)) return error;
    const text = typeof error === "string" ? error : isInstance(error, Error) ? error.message : "";
    return ToolError.message(text || errorMessage(error), { cause: error });
  }

  /** True for a `ToolError` of any copy and any version of the library. */
  static is(error: unknown): error is ToolError {
    return toolErrorKind(error) !== undefined;
  }

  get isCancelled(): boolean {
    return this.kind === "cancelled";
  }

  /** The same error with a cause. Only a `message` takes one; every other kind is returned unchanged. */
  withCause(cause: unknown): ToolError {
    if (this.kind !== "message") return this;
    return Object.assign(ToolError.message(this.message, { cause }), { stack: this.stack });
  }

  /** What the model is told; nothing where the call was cancelled, since there is nobody left to tell. */
  toModelOutput(): ErrorOutput | undefined {
    if (this.kind === "cancelled") return undefined;
    if (this.kind === "json") return { type: "error-json", value: this.value };
    return { type: "error-text", value: this.message };
  }

  get [TOOL_ERROR](): true {
    return true;
  }
}

Object.defineProperty(ToolError.prototype, "name", { value: "ToolError", writable: true });

/** For a message; the model gets the whole value. */
const MOST_JSON = 1024;
