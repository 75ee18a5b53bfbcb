import type { RunKey, ToolEnd } from "../core/call.ts";
import type { Failure } from "../core/outcome.ts";

/**
 * The version is that of the entries: copies of the library that agree on it tell each other. Keyed by the run, or where
 * the framework gave it no id, by an object that only this run has.
 */
const KNOWN_FAILURES = Symbol.for("toolspan.known-failures.v1");

const holder = globalThis as { [KNOWN_FAILURES]?: Map<RunKey | object, Failure> };
const failures = (holder[KNOWN_FAILURES] ??= new Map());

/**
 * Tells that the open run with this key failed, for an end that will not show it: LangChain hands on the bare content of
 * an answer that has no call id. Whoever tells it forgets it when the framework has reported the end, so that nothing is
 * left behind where no handler listens, and handlers of several tracer providers all hear it.
 */
export function knowFailure(key: RunKey | object, failure: Failure): void {
  failures.set(key, failure);
}

export function forgetFailure(key: RunKey | object): void {
  failures.delete(key);
}

/** The failure that is known of a run which ends now. */
export function knownFailure(key: unknown): Failure | undefined {
  return failures.get(key as object);
}

/** The end with what is known of it. It is asked when the end comes, since a held run is judged later. */
export function withKnownFailure(key: RunKey, end: ToolEnd): ToolEnd {
  const known = failures.get(key);
  return known ? { ...end, known } : end;
}
