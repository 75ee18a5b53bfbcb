import type { CallFacts, ToolEnd } from "./call.ts";
import type { Outcome } from "./outcome.ts";
import { OK } from "./outcome.ts";
import { isObject } from "./read.ts";
import type { Rule } from "./rules.ts";
import { defaultRules } from "./rules.ts";
import { fromThrown } from "./thrown.ts";

/**
 * What the end of a run means. Pure: no state, no clock, and nothing it reads can make it throw, a rule's own fault apart.
 *
 * @param rules asked in order, first answer wins; none: the call succeeded
 * @param call what is known of the call; its `signal` decides what counts as cancelled, its `callId` which messages count
 */
export function classify(end: ToolEnd, rules: readonly Rule[] = defaultRules, call: CallFacts = {}): Outcome {
  if (end.known) return end.known;
  if (end.kind === "threw") return fromThrown(end.error, call, end.errorType);
  for (const rule of rules) {
    // Every default rule reads fields; text and numbers, the commonest results, have none.
    if (rules === defaultRules && !isObject(end.value)) break;
    const outcome = rule(end.value, call);
    if (outcome) return outcome;
  }
  return OK;
}
