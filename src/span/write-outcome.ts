import type { Attributes, Span } from "@opentelemetry/api";
import { SpanStatusCode } from "@opentelemetry/api";
import type { CallFacts, ToolEnd } from "../core/call.ts";
import { causeChain } from "../core/describe-error.ts";
import type { Outcome } from "../core/outcome.ts";
import { resultContent } from "../core/tool-message.ts";
import { contentJson, failureText } from "./content.ts";
import * as conventions from "./conventions.ts";
import { recordException } from "./exception.ts";
import type { Settings } from "./options.ts";

/** `error.type` of an outcome, exactly where the span's status is ERROR; the span and the metric both ask here. */
export function failureType(outcome: Outcome, settings: Settings): string | undefined {
  if (outcome.kind === "error") return outcome.type;
  return settings.errorOutcomes.has(outcome.kind) ? outcome.kind : undefined;
}

/**
 * Writes what a run came to onto its span. Success leaves the status unset: OK is final and belongs to the application
 * (OpenTelemetry specification, trace API, Set Status).
 */
export function writeOutcome(
  span: Span,
  outcome: Outcome,
  end: ToolEnd | undefined,
  call: CallFacts,
  settings: Settings,
): void {
  span.setAttribute(conventions.ATTR_OUTCOME, outcome.kind);
  writeFailure(span, outcome, call, settings);
  if (outcome.kind === "error" && end?.kind === "returned") span.setAttribute(conventions.ATTR_HANDLED, true);
  if (outcome.kind !== "ok") return;
  if (settings.successStatus === "ok") span.setStatus({ code: SpanStatusCode.OK });
  if (settings.capture.results && end?.kind === "returned") {
    const json = contentJson(resultContent(end.value, call), "result", call.args, settings);
    if (json !== undefined) span.setAttribute(conventions.ATTR_TOOL_CALL_RESULT, json);
  }
}

/**
 * Marks the span where the outcome is shown as an error, and records what was thrown.
 * @param told errors which have been recorded: one that is among them, or whose cause is, is not recorded again
 */
export function writeFailure(
  span: Span,
  outcome: Outcome,
  call: CallFacts,
  settings: Settings,
  told?: ReadonlySet<unknown>,
): void {
  const type = failureType(outcome, settings);
  if (type === undefined) return;
  const message = failureText(outcome.message ?? "", call.args, settings);
  span.setAttribute(conventions.ATTR_ERROR_TYPE, type);
  span.setStatus({ code: SpanStatusCode.ERROR, message });
  if (outcome.thrown && !causeChain(outcome.thrown.error).some((error) => told?.has(error)))
    recordException(span, message, outcome.thrown.error, call, settings);
}

/** What is known when the span is made, so that samplers see it. */
export function startAttributes(call: CallFacts & { readonly name: string }): Attributes {
  const attributes: Attributes = {
    [conventions.ATTR_OPERATION_NAME]: conventions.EXECUTE_TOOL,
    [conventions.ATTR_TOOL_NAME]: call.name,
    [conventions.ATTR_TOOL_TYPE]: call.type ?? "function",
  };
  if (call.callId) attributes[conventions.ATTR_TOOL_CALL_ID] = call.callId;
  if (call.description) attributes[conventions.ATTR_TOOL_DESCRIPTION] = call.description;
  if (call.agentName) attributes[conventions.ATTR_AGENT_NAME] = call.agentName;
  if (call.attempt) attributes[conventions.ATTR_ATTEMPT] = call.attempt;
  if (call.requestedTool) attributes[conventions.ATTR_REQUESTED_TOOL] = call.requestedTool;
  return attributes;
}

/** Labels of the metric: closed sets and names of tools and agents, never an id. */
export function metricAttributes(
  outcome: Outcome,
  call: CallFacts & { readonly name: string },
  settings: Settings,
): Attributes {
  const attributes: Attributes = {
    [conventions.ATTR_TOOL_NAME]: call.name,
    [conventions.ATTR_TOOL_TYPE]: call.type ?? "function",
    [conventions.ATTR_OUTCOME]: outcome.kind,
  };
  const type = failureType(outcome, settings);
  if (type !== undefined) attributes[conventions.ATTR_ERROR_TYPE] = type;
  if (call.agentName) attributes[conventions.ATTR_AGENT_NAME] = call.agentName;
  return attributes;
}
