import type { ToolCall } from "../../core/call.ts";
import { INVALID_ARGUMENTS, INVALID_RESULT } from "../../core/outcome.ts";
import { fromThrown } from "../../core/thrown.ts";
import type { EnteredRun } from "../../span/enter-run.ts";
import type { AdapterRecorder } from "../../span/recorder.ts";
import type { ChainRun } from "./chain-run.ts";
import { insideRun } from "./inside-run.ts";
import { callersStack, withoutWrap } from "./refusal-stack.ts";
import { settled } from "./settled.ts";
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
 * makes a message of the result. A handler's events end the run where there is a handler, else the end of `call` does.
 *
 * @param base the class that `call` belongs to
 */
export function recordCall(recorder: AdapterRecorder, base: object, { original, tool, args, wrap }: Called): unknown {
  let run: EnteredRun | undefined;
  let isHeld = false;
  let reached: "nothing" | "the tool" | "its result" = "nothing";
  const [input, config] = args;
  const caller = callersStack(tool, wrap);
  const standIn = standInFor(tool, base, (...given) => {
    reached = "the tool";
    const [, runManager, runConfig] = given;
    const body = (): unknown => (tool as { _call: Method })._call(...given);
    const facts = toolFacts(tool, input, runConfig ?? config, runManager);
    const entered = recorder.enter(facts);
    if (!entered) return body();
    isHeld = isInNode(recorder, facts);
    run = entered;
    return insideRun(entered, body, (result) => {
      reached = "its result";
      entered.saw(resultParts(tool, result));
    });
  });
  return settled(() => Reflect.apply(original, standIn, args) as unknown, {
    returned: (value) => run?.end({ kind: "returned", value }, { isHeld }),
    threw: (error) => {
      // After its result LangChain throws where it can make nothing of that.
      const errorType = reached === "its result" ? INVALID_RESULT : undefined;
      if (reached === "nothing" && isRefusal(error)) withoutWrap(error, caller);
      if (run) run.end({ kind: "threw", error, errorType }, { isHeld });
      else if (reached === "nothing") refuse(recorder, toolFacts(tool, input, config), error);
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
  noteCall(recorder, facts);
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

function refuse(recorder: AdapterRecorder, call: ToolCall, error: unknown): void {
  const outcome = fromThrown(error, call, isRefusal(error) ? INVALID_ARGUMENTS : undefined);
  recorder.onCallWithoutRun(call, outcome, { kind: "threw", error });
  noteCall(recorder, call);
}

/** In a graph, where a handler sees its node, the node's answer tells what became of the call. */
function isInNode(recorder: AdapterRecorder, { parentKey }: ToolCall): boolean {
  return chainRun(recorder, parentKey)?.node !== undefined;
}

/** The handler has no event of this call, and would make a span of the node's answer to it. */
function noteCall(recorder: AdapterRecorder, { parentKey, callId }: ToolCall): void {
  if (callId) chainRun(recorder, parentKey)?.ledger.settled.add(callId);
}

function chainRun(recorder: AdapterRecorder, key: ToolCall["parentKey"]): ChainRun | undefined {
  return recorder.parentData(key) as ChainRun | undefined;
}
