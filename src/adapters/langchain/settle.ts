import type { ToolCall, ToolEnd } from "../../core/call.ts";
import type { Outcome } from "../../core/outcome.ts";
import { INVALID_RESULT, toolError } from "../../core/outcome.ts";
import { read } from "../../core/read.ts";
import { fromThrown, isAbortError } from "../../core/thrown.ts";
import { contentText } from "../../core/tool-message.ts";
import type { PendingRun, Settlement } from "../../span/registry.ts";
import type { Answer } from "./answers.ts";
import { answersIn } from "./answers.ts";
import type { ChainRun } from "./chain-run.ts";

/** What a node's answers say of the tool runs in it: whether a call came back well after all, or failed after all. */
export function settleByAnswers(
  runs: readonly PendingRun[],
  parentEnd: ToolEnd,
  chainRun: unknown,
): readonly (Settlement | undefined)[] {
  const answers = answersIn(read(parentEnd, "value"));
  const { ledger } = chainRun as ChainRun;
  return runs.map((run) => {
    const answer = answerTo(run, runs, answers);
    if (!answer) return undefined;
    if (answer.callId) ledger.settled.add(answer.callId);
    const outcome = run.end ? ownOutcome(run) : outcomeOfUnended(answer);
    if (!outcome) return undefined;
    const got = whatTheModelGot(answer, runs, run);
    // An answer that LangChain made of the failed result says success; nothing has made good for it.
    if (got === outcome.kind || got === undefined || (run.isLost && got === "ok")) return { outcome };
    return outcome.kind === "error" ? { outcome, isRecovered: true } : { outcome, callOutcome: got };
  });
}

/**
 * The last answer with the call's id; where the run was told none (LangChain 0.3), with the tool's name. Where a model gave one
 * id to several calls at once, which is no retry, each has an answer in its turn.
 */
function answerTo(run: PendingRun, runs: readonly PendingRun[], answers: readonly Answer[]): Answer | undefined {
  const isOf = ({ callId, name }: ToolCall | Answer): boolean =>
    run.call.callId ? callId === run.call.callId : name === run.call.name;
  const own = answers.filter(isOf);
  const firstRuns = runs.filter(({ call }) => isOf(call) && call.attempt === undefined);
  const isOneEach = own.length === firstRuns.length && run.call.attempt === undefined;
  return isOneEach ? own[firstRuns.indexOf(run)] : own.at(-1);
}

/**
 * A caller's abort ends the node as well. Where the node goes on and answers the call, nobody stopped it: the abort was the
 * tool's own, and its call failed. Where the wrap of the call has seen the caller's signal, that has decided.
 */
function ownOutcome({ call, judged, end }: PendingRun): Outcome | undefined {
  const error = read(end, "error");
  return !call.signal && isAbortError(error) ? fromThrown(error, { signal: NOT_ABORTED }) : judged;
}

const NOT_ABORTED = new AbortController().signal;

/** Core throws without ending the run where it cannot read what the tool returned; the node then answers with the error. */
function outcomeOfUnended(answer: Answer): Outcome | undefined {
  return answer.status === "error" ? toolError(textOf(answer), INVALID_RESULT) : undefined;
}

/** The answer's status; one without a status hands on what the call's last run came to. */
function whatTheModelGot(answer: Answer, runs: readonly PendingRun[], run: PendingRun): "ok" | "error" | undefined {
  if (answer.status === "error") return "error";
  if (answer.status === "success") return "ok";
  const { callId, name } = run.call;
  const last = runs.findLast(({ call }) => call.callId === callId && call.name === name);
  return last!.judged?.kind === "ok" ? "ok" : undefined;
}

/** An answer's own words, without the arguments and the stack that LangChain's ToolInvocationError puts into them. */
export function textOf({ message }: Answer): string {
  const text = contentText(read(message, "content"));
  const refusal = /^Error invoking tool '.*?' with kwargs [\s\S]*? with error: (?:Error: )?([\s\S]*)$/.exec(text);
  return refusal?.[1] ?? text;
}
