import type { ToolCall, ToolEnd } from "../../core/call.ts";
import { INVALID_ARGUMENTS, INVALID_RESULT } from "../../core/outcome.ts";
import { settled } from "../../core/settled.ts";
import type { EnteredRun } from "../../span/enter-run.ts";
import { knownFailure } from "../../span/known-failures.ts";
import type { AdapterRecorder } from "../../span/recorder.ts";
import type { ChainRun } from "./chain-run.ts";
import { noteRefusal } from "./chain-run.ts";
import { insideRun } from "./inside-run.ts";
import { callersStack, withoutWrap } from "./refusal-stack.ts";
import { standInFor } from "./stand-in.ts";
import { isRefusal, resultParts, toolFacts } from "./tool-facts.ts";

export type Method = (...args: unknown[]) => unknown;

/** A method of a tool's, and the call of it. */
export interface Called {
  readonly original: Method;
  readonly tool: object;
  readonly args: readonly unknown[];
  /** The wrap itself, which is called in the method's place. */
  readonly wrap: Method;
}

/**
 * Makes a call of `StructuredTool.call`, which checks the arguments, starts the run, calls `_call` with the run's id, and
 * makes a message of the result. What the body throws ends the run; else a handler's events where there is a handler, or the
 * end of `call`.
 *
 * @param base the class that `call` belongs to
 */
export function recordCall(recorder: AdapterRecorder, base: object, { original, tool, args, wrap }: Called): unknown {
  let entered: { readonly run: EnteredRun; readonly facts: ToolCall; readonly runConfig: unknown } | undefined;
  let isReached = false;
  const end = (how: ToolEnd): void => {
    if (!entered) return;
    const { run, facts, runConfig } = entered;
    // Of a run that has no id, since nobody listens, `handleErrors` tells by its config.
    run.end({ ...how, known: knownFailure(runConfig) }, { isHeld: isInNode(recorder, facts) });
  };
  const [input, config] = args;
  const caller = callersStack(tool, wrap);
  const standIn = standInFor(tool, base, (...given) => {
    isReached = true;
    const [, runManager, runConfig] = given;
    const body = (): unknown => (tool as { _call: Method })._call(...given);
    const facts = toolFacts(tool, input, runConfig, runManager);
    const run = recorder.enter(facts);
    if (!run) return body();
    entered = { run, facts, runConfig };
    return insideRun(run, body, {
      returned: (result) => run.saw(resultParts(tool, result)),
      // Not only when the call ends: it waits for every handler, and some of a stream that its reader has left never answer.
      threw: (error) => end({ kind: "threw", error }),
    });
  });
  return settled(() => Reflect.apply(original, standIn, args) as unknown, {
    returned: (value) => end({ kind: "returned", value }),
    threw(error) {
      // What the body threw has been told. After its result LangChain throws where it can make nothing of that.
      if (entered) end({ kind: "threw", error, errorType: INVALID_RESULT });
      else if (!isReached) {
        withoutWrap(error, caller);
        refuse(recorder, toolFacts(tool, input, config), error);
      }
    },
  });
}

/** Makes a call of a runnable's `invoke`, which is all that LangChain knows of a `RunnableToolLike`. */
export function recordInvoke(recorder: AdapterRecorder, { original, tool, args }: Called): unknown {
  const [input, config] = args;
  const invoke = (): unknown => Reflect.apply(original, tool, args);
  const facts = toolFacts(tool, input, config);
  const run = recorder.enter(facts);
  if (!run) return invoke();
  const isHeld = isInNode(recorder, facts);
  return settled(() => run.active(invoke), {
    returned: (value) => run.end({ kind: "returned", value }, { isHeld }),
    threw: (error) => {
      const isRefused = isRefusal(error);
      const errorType = isRefused ? INVALID_ARGUMENTS : undefined;
      run.end({ kind: "threw", error, errorType }, { isHeld, isExecuted: !isRefused });
    },
  });
}

/** A span without duration. A retry that is refused like the call before it is nothing new where its node is known. */
function refuse(recorder: AdapterRecorder, call: ToolCall, error: unknown): void {
  const { callId, key, parentKey } = call;
  const ledger = callId ? chainRun(recorder, parentKey)?.ledger : undefined;
  if (ledger && !noteRefusal(ledger, callId!, key)) return;
  const errorType = isRefusal(error) ? INVALID_ARGUMENTS : undefined;
  const end = { kind: "threw", error, errorType } as const;
  recorder.enter(call)?.end(end, { isExecuted: false, isHeld: isInNode(recorder, call) });
}

/** In a graph, where a handler sees its node, the node's answer tells what became of the call. */
function isInNode(recorder: AdapterRecorder, { parentKey }: ToolCall): boolean {
  return chainRun(recorder, parentKey)?.node !== undefined;
}

function chainRun(recorder: AdapterRecorder, key: ToolCall["parentKey"]): ChainRun | undefined {
  return recorder.dataAbove(key) as ChainRun | undefined;
}
