import type { Context, Span } from "@opentelemetry/api";
import { context } from "@opentelemetry/api";
import type { ToolCall, ToolEnd } from "../core/call.ts";
import { ATTR_TOOL_CALL_ID, ATTR_TOOL_DESCRIPTION, ATTR_TOOL_NAME, EXECUTE_TOOL } from "./conventions.ts";
import type { OpenRun } from "./registry.ts";
import { inside } from "./registry.ts";

/** An open run, for an adapter that stands round the call itself: it sees more than the framework's events tell. */
export interface EnteredRun {
  /** Calls with the run's span active. */
  active<T>(step: () => T): T;
  /** What the tool itself gave back, before its framework made a message of it: a sign of failure in it counts. */
  saw(values: readonly unknown[]): void;
  /** Ends the run where no event of the framework's has; else it is nothing new. */
  end(end: ToolEnd, how?: Ending): void;
}

export interface Ending {
  /** False where the call turned out to be refused before the tool ran. @default true */
  readonly isExecuted?: boolean;
  /** Whether the end of the parent has the last word. @default false */
  readonly isHeld?: boolean;
}

/** @param end ends the run, or holds it, if it is still open */
export function enteredRun(run: OpenRun, end: (end: ToolEnd, isHeld: boolean) => void): EnteredRun {
  return {
    active: (step) => (run.span ? context.with(insideNow(run, run.span), step) : step()),
    saw(values) {
      run.seen = values;
    },
    end(told, { isExecuted = true, isHeld = false } = {}) {
      run.isExecuted &&= isExecuted;
      end(told, isHeld);
    },
  };
}

function insideNow(run: OpenRun, span: Span): Context {
  const now = context.active();
  return now === run.context ? (run.inside ??= inside(now, run, span)) : inside(now, run, span);
}

/** The event that opened the run may have known less of the call, or another name of the run for the tool's. */
export function addFacts(run: OpenRun, facts: ToolCall): void {
  const { call, span, settings } = run;
  const name = facts.name || call.name;
  const newId = call.callId ? undefined : facts.callId;
  const newDescription = call.description ? undefined : facts.description;
  // Every field by name: a spread would cost more than the rest of the wrap.
  const known: Readonly<Record<keyof ToolCall, unknown>> & ToolCall = {
    key: call.key,
    name,
    isStandIn: false,
    callId: newId ?? call.callId,
    args: call.args,
    type: call.type,
    description: newDescription ?? call.description,
    agentName: call.agentName, // LangChain's own is inherited: a sub-agent without a name gets that of the agent above
    signal: call.signal ?? facts.signal,
    parentKey: call.parentKey,
    attempt: call.attempt,
    resumeKey: call.resumeKey,
    requestedTool: call.requestedTool,
  };
  run.call = known;
  if (!span) return;
  settings.guard.run("setAttribute", () => {
    if (name !== call.name) span.setAttribute(ATTR_TOOL_NAME, name).updateName(`${EXECUTE_TOOL} ${name}`);
    if (newId) span.setAttribute(ATTR_TOOL_CALL_ID, newId);
    if (newDescription) span.setAttribute(ATTR_TOOL_DESCRIPTION, newDescription);
  });
}
