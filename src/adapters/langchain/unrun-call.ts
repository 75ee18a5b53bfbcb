import type { ToolCall } from "../../core/call.ts";
import type { Outcome } from "../../core/outcome.ts";
import { OK, toolError, UNKNOWN_TOOL } from "../../core/outcome.ts";
import type { Answer } from "./answers.ts";
import type { ChainRun } from "./chain-run.ts";
import { isAnsweredIn } from "./chain-run.ts";
import { textOf } from "./settle.ts";

/** A call that a node answered though no tool ran for it. */
export interface UnrunCall {
  readonly call: Omit<ToolCall, "key">;
  readonly outcome: Outcome;
}

/** The nodes of LangChain's middleware that say no in a human's or a limit's name. */
const DENYING_NODES = /^(?:HumanInTheLoopMiddleware|ToolCallLimitMiddleware)\./;

/**
 * The calls which a node answered without a run: refused arguments, unknown tools, denials, caches. An answer is news only if
 * its call has no span yet and is not one of an earlier turn, answered in the state the node started from.
 */
export function unrunCalls(answers: readonly Answer[], node: ChainRun): readonly UnrunCall[] {
  const { ledger, given } = node;
  return answers.flatMap((answer): readonly UnrunCall[] => {
    const { callId } = answer;
    if (!callId || ledger.settled.has(callId)) return [];
    if (!ledger.asked.has(callId) && isAnsweredIn(given, callId)) return [];
    ledger.settled.add(callId);
    // Structured output comes from the model's own node, dressed up as the answer to a call of a tool that there is not.
    if (node.ranModel) return [];
    return [unrunCall(answer, callId, node)];
  });
}

function unrunCall(answer: Answer, callId: string, node: ChainRun): UnrunCall {
  const { ledger } = node;
  const asked = ledger.asked.get(callId) ?? answer.name ?? "";
  const isUnknown = answer.status === "error" && ledger.offered !== undefined && !ledger.offered.has(asked);
  const call = { callId, parentKey: node.parentKey, agentName: node.agent };
  if (isUnknown) {
    return {
      call: { ...call, name: UNKNOWN_TOOL, requestedTool: asked },
      outcome: toolError(textOf(answer), UNKNOWN_TOOL),
    };
  }
  return { call: { ...call, name: asked }, outcome: outcomeOf(answer, node) };
}

function outcomeOf(answer: Answer, node: ChainRun): Outcome {
  if (answer.status !== "error") return OK;
  const message = textOf(answer);
  return DENYING_NODES.test(node.node!) ? { kind: "denied", message } : toolError(message);
}
