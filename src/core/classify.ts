import type { CallFacts, ToolEnd } from "./call.ts";
import type { Outcome } from "./outcome.ts";
import { OK } from "./outcome.ts";
import { isObject, read } from "./read.ts";
import type { Rule } from "./rules.ts";
import { defaultRules } from "./rules.ts";
import { fromThrown } from "./thrown.ts";
import { asToolMessage } from "./tool-message.ts";

/**
 * What the end of a run means. Pure: no state, no clock, and nothing it reads can make it throw, a rule's own fault apart.
 *
 * @param rules asked in order, first answer wins; none: the call succeeded
 * @param call what is known of the call; its `signal` decides what counts as cancelled, its `callId` which messages count
 */
export function classify(end: ToolEnd, rules: readonly Rule[] = defaultRules, call: CallFacts = {}): Outcome {
  if (end.known) return end.known;
  if (end.kind === "threw") return fromThrown(end.error, call, end.errorType);
  const asked = rules === defaultRules && (!isObject(end.value) || saysSuccess(end.value)) ? [] : rules;
  for (const rule of asked) {
    const outcome = rule(end.value, call);
    if (outcome) return outcome;
  }
  return OK;
}

/** The commonest result that has fields: a message which says that it went well. */
function saysSuccess(value: object): boolean {
  return (
    read(value, "status") === "success" && typeof read(value, "content") === "string" && asToolMessage(value) === value
  );
}
