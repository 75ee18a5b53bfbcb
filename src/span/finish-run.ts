import type { Span } from "@opentelemetry/api";
import { trace, TraceFlags } from "@opentelemetry/api";
import type { ToolEnd } from "../core/call.ts";
import { classify } from "../core/classify.ts";
import type { Outcome } from "../core/outcome.ts";
import { toolError } from "../core/outcome.ts";
import { defaultRules } from "../core/rules.ts";
import { answered, contentText } from "../core/tool-message.ts";
import {
  ATTR_CALL_OUTCOME,
  ATTR_EXECUTED,
  ATTR_RECOVERED,
  ATTR_TOOL_CALL_ID,
  ATTR_TOOL_NAME,
  EXECUTE_TOOL,
  METRIC_EXECUTE_TOOL_DURATION,
} from "./conventions.ts";
import { recordMetric } from "./metric.ts";
import type { Evicted, OpenRun, Store } from "./registry.ts";
import { detach, markSettled, ownTallyOf, rememberInterrupted, report } from "./registry.ts";
import { metricAttributes, writeOutcome } from "./write-outcome.ts";

type Judged = Pick<OpenRun, "call" | "settings"> & { readonly seen?: OpenRun["seen"] };

/** What the end of a run means, by the rules and the predicate of the recorder that opened it. */
export function judge(end: ToolEnd, { call, settings, seen = [] }: Judged): Outcome {
  const { rules, given, guard } = settings;
  const judged = (one: ToolEnd): Outcome =>
    guard.run("rules", () => classify(one, rules, call)) ?? classify(one, defaultRules, call);
  let outcome = judged(end);
  for (const value of seen) if (outcome.kind === "ok") outcome = judged({ kind: "returned", value });
  const { isFailure } = given;
  if (outcome.kind !== "ok" || end.kind === "threw" || !isFailure) return outcome;
  const failed = guard.run("isFailure", () => isFailure(end.value, call)) === true;
  return failed ? toolError(contentText(end.value)) : outcome;
}

/** Writes the outcome to span and metric, and lets go of the run. */
export function finishRun(
  store: Store,
  run: OpenRun,
  outcome: Outcome,
  end: ToolEnd | undefined,
  endedAt: number,
): void {
  releaseRun(store, run);
  nameAfterAnswer(run, end);
  ownTallyOf(run)?.noteRun(run.call.callId, {
    tool: run.call.name,
    startedAt: run.startedAt,
    endedAt,
    outcome: run.settlement?.isRecovered ? "ok" : (run.settlement?.callOutcome ?? outcome.kind),
  });
  if (outcome.thrown) report(run, outcome.thrown.error);
  const { resumeKey } = run.call;
  if (outcome.kind === "interrupted" && resumeKey && run.span) rememberInterrupted(store, resumeKey, run.span);
  endSpan(run, outcome, end, endedAt);
  // An answer from a cache or an emulator took no time of a tool's.
  if (run.isExecuted || outcome.kind !== "ok") countRun(run, outcome, endedAt);
}

export function releaseRun(store: Store, run: OpenRun): void {
  store.runs.delete(run.key);
  if (run.orphanedAt !== undefined) store.orphans.delete(run);
  detach(run);
  if (!run.isPrivate) markSettled(store, run.key);
}

/** The tool's answer knows the call id where the start had none, and the name where it had only a stand-in. */
function nameAfterAnswer(run: OpenRun, end: ToolEnd | undefined): void {
  const { call, span, settings } = run;
  if (end?.kind !== "returned" || (call.callId && !call.isStandIn)) return;
  const { name, callId } = answered(end.value);
  const isOwn = !call.callId || callId === call.callId;
  const newId = !call.callId && callId;
  const newName = call.isStandIn && isOwn && name;
  if (!newId && !newName) return;
  run.call = { ...call, ...(newId && { callId: newId }), ...(newName && { name: newName }) };
  settings.guard.run("setAttribute", () => {
    if (newId) span?.setAttribute(ATTR_TOOL_CALL_ID, newId);
    if (newName) span?.setAttribute(ATTR_TOOL_NAME, newName).updateName(`${EXECUTE_TOOL} ${newName}`);
  });
}

/** @param endedAt `performance.now()` of the end, which for a held run lies back */
export function endSpan(run: OpenRun, outcome: Outcome, end: ToolEnd | undefined, endedAt: number): void {
  const { span, call, settings } = run;
  if (!span) return;
  settings.guard.run("setAttribute", () => {
    if (!span.isRecording()) return;
    if (!run.isExecuted) span.setAttribute(ATTR_EXECUTED, false);
    if (run.settlement?.isRecovered) span.setAttribute(ATTR_RECOVERED, true);
    if (run.settlement?.callOutcome) span.setAttribute(ATTR_CALL_OUTCOME, run.settlement.callOutcome);
    writeOutcome(span, outcome, end, call, settings);
  });
  settings.guard.run("end", () => (performance.now() - endedAt < 1 ? span.end() : span.end(endedAt)));
}

/** Only a sampled span can become an exemplar of the metric. */
export function isSampled(span: Span): boolean {
  return (span.spanContext().traceFlags & TraceFlags.SAMPLED) !== 0;
}

export function countRun(
  run: Evicted & Partial<Pick<OpenRun, "span" | "settlement" | "inside">>,
  outcome: Outcome,
  endedAt: number,
): void {
  const { call, settings, startedAt, span, context } = run;
  settings.guard.run("metric", () =>
    recordMetric(
      METRIC_EXECUTE_TOOL_DURATION,
      settings.given.meterProvider,
      Math.max(0, endedAt - startedAt) / 1000,
      run.settlement?.isRecovered
        ? { ...metricAttributes(outcome, call, settings), [ATTR_RECOVERED]: true }
        : metricAttributes(outcome, call, settings),
      span && isSampled(span) ? (run.inside ?? trace.setSpan(context, span)) : context,
    ),
  );
}
