/** What a run's end means. The table of all outcomes is in the README. */
export type Outcome = Ok | Failure | NoFailure;

export interface Ok {
  readonly kind: "ok";
  readonly message?: undefined;
  readonly thrown?: undefined;
}

/** The call failed: span status ERROR, and `error.type` is `type`. */
export interface Failure {
  readonly kind: "error";
  /** `error.type`: of low cardinality, never message text, never empty. */
  readonly type: string;
  /** The failure's own words, on one line; not yet masked and not yet cut. May be empty. */
  readonly message: string;
  /** Present only where something was really thrown; only then is there an exception event. */
  readonly thrown?: { readonly error: unknown };
}

/** Ended without success, and yet nothing failed. */
export interface NoFailure {
  readonly kind: "cancelled" | "denied" | "interrupted" | "handoff" | "abandoned";
  readonly message?: string;
  readonly thrown?: { readonly error: unknown };
}

export type OutcomeKind = Outcome["kind"];

export const OK: Ok = { kind: "ok" };

/** `error.type` of a failure that was returned and names no code of its own (the MCP convention's value). */
export const TOOL_ERROR = "tool_error";
export const TIMEOUT = "timeout";
export const INVALID_ARGUMENTS = "invalid_arguments";
export const INVALID_RESULT = "invalid_result";
export const UNKNOWN_TOOL = "unknown_tool";

/** Makes a returned failure. */
export function toolError(message: string, type: string = TOOL_ERROR): Failure {
  return { kind: "error", type, message };
}
