import type { Attributes, Context, Span, Tracer } from "@opentelemetry/api";
import { SpanKind, trace } from "@opentelemetry/api";
import type { ToolEnd } from "../core/call.ts";
import type { Outcome } from "../core/outcome.ts";
import { fromThrown } from "../core/thrown.ts";
import type { AgentCounts } from "./agent-tally.ts";
import { contentJson } from "./content.ts";
import * as conventions from "./conventions.ts";
import { isSampled } from "./finish-run.ts";
import { recordMetric } from "./metric.ts";
import type { Settings } from "./options.ts";
import type { Scope } from "./registry.ts";
import { report } from "./registry.ts";
import { failureType, writeFailure } from "./write-outcome.ts";

/** A parent run that is drawn as a span of its own. */
export type Drawing = AgentDrawing | ChatDrawing;

/** `invoke_agent {name}`, in this process. */
export interface AgentDrawing {
  readonly kind: "agent";
  readonly name?: string | undefined;
  readonly conversationId?: string | undefined;
  /** Its messages are those of its model calls. */
  readonly inputMessages?: undefined;
}

/** `chat {model}`. */
export interface ChatDrawing {
  readonly kind: "chat";
  readonly requestModel?: string | undefined;
  readonly provider?: string | undefined;
  readonly conversationId?: string | undefined;
  /** Asked for only where messages are captured: a long conversation would be read anew for each call. */
  readonly inputMessages?: () => unknown;
}

/** What a model's answer says of itself. */
export interface ChatAnswer {
  readonly responseModel?: string | undefined;
  readonly responseId?: string | undefined;
  readonly finishReasons?: readonly string[] | undefined;
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  /** Asked for only where messages are captured. */
  readonly outputMessages?: () => unknown;
}

/** Starts the span of an agent's invocation or of a model call. */
export function startDrawing(drawing: Drawing, parent: Context, tracer: Tracer, settings: Settings): Span {
  const own = settings.guard.run("attributes", () => settings.given.attributes?.({}));
  const isAgent = drawing.kind === "agent";
  const subject = isAgent ? drawing.name : drawing.requestModel;
  const operation = isAgent ? conventions.INVOKE_AGENT : conventions.CHAT;
  const attributes = {
    ...own,
    [conventions.ATTR_OPERATION_NAME]: operation,
    ...(isAgent ? agentAttributes(drawing) : chatAttributes(drawing)),
  };
  const kind = isAgent ? SpanKind.INTERNAL : SpanKind.CLIENT;
  const span = tracer.startSpan(subject ? `${operation} ${subject}` : operation, { kind, attributes }, parent);
  settings.guard.run("setAttribute", () => {
    if (span.isRecording()) writeMessages(span, conventions.ATTR_INPUT_MESSAGES, drawing.inputMessages, settings);
  });
  return span;
}

function agentAttributes({ name, conversationId }: AgentDrawing): Attributes {
  return known({ [conventions.ATTR_AGENT_NAME]: name, [conventions.ATTR_CONVERSATION_ID]: conversationId });
}

function chatAttributes({ requestModel, provider, conversationId }: ChatDrawing): Attributes {
  return known({
    [conventions.ATTR_REQUEST_MODEL]: requestModel,
    [conventions.ATTR_PROVIDER_NAME]: provider,
    [conventions.ATTR_CONVERSATION_ID]: conversationId,
  });
}

/** Ends the span with what the run came to. A failure that a descendant has told is not told again as an event. */
export function finishDrawing(scope: Scope, end: ToolEnd | undefined, answer: ChatAnswer | undefined): void {
  const { span, drawing, tally, settings } = scope;
  if (!drawing || scope.isFinished) return;
  scope.isFinished = true;
  const outcome = end ? outcomeOf(end) : ABANDONED;
  const errorType = outcome && failureType(outcome, settings);
  if (span) {
    settings.guard.run("setAttribute", () => {
      if (!span.isRecording()) return;
      if (answer) writeAnswer(span, answer, settings);
      if (tally) writeCounts(span, tally.counts());
      if (tally && outcome) span.setAttribute(conventions.ATTR_OUTCOME, outcome.kind);
      if (outcome) writeFailure(span, outcome, {}, settings, scope.reported);
    });
    if (outcome?.thrown) report(scope, outcome.thrown.error);
    settings.guard.run("end", () => span.end());
  }
  if (drawing.kind === "agent") settings.guard.run("metric", () => countAgent(scope, drawing, errorType));
}

const ABANDONED: Outcome = { kind: "abandoned" };

function outcomeOf(end: ToolEnd): Outcome | undefined {
  return end.kind === "threw" ? fromThrown(end.error) : undefined;
}

function writeAnswer(span: Span, answer: ChatAnswer, settings: Settings): void {
  span.setAttributes(
    known({
      [conventions.ATTR_RESPONSE_MODEL]: answer.responseModel,
      [conventions.ATTR_RESPONSE_ID]: answer.responseId,
      [conventions.ATTR_FINISH_REASONS]: answer.finishReasons,
      [conventions.ATTR_INPUT_TOKENS]: answer.inputTokens,
      [conventions.ATTR_OUTPUT_TOKENS]: answer.outputTokens,
    }),
  );
  writeMessages(span, conventions.ATTR_OUTPUT_MESSAGES, answer.outputMessages, settings);
}

function writeMessages(span: Span, name: string, messages: (() => unknown) | undefined, settings: Settings): void {
  if (!messages || !settings.capture.messages) return;
  span.setAttributes(known({ [name]: contentJson(messages(), "messages", undefined, settings) }));
}

function writeCounts(span: Span, counts: AgentCounts): void {
  span.setAttributes({
    [conventions.ATTR_TOOL_CALLS]: counts.toolCalls,
    [conventions.ATTR_FAILED_TOOL_CALLS]: counts.failedToolCalls,
    [conventions.ATTR_UNRECOVERED_TOOL_CALLS]: counts.unrecoveredToolCalls,
  });
}

function countAgent(scope: Scope, { name }: AgentDrawing, errorType: string | undefined): void {
  const { settings, span, startedAt } = scope;
  const { toolCalls, inferenceCalls } = scope.tally!.counts();
  const context = span && isSampled(span) ? trace.setSpan(scope.context, span) : scope.context;
  const attributes = known({ [conventions.ATTR_AGENT_NAME]: name, [conventions.ATTR_ERROR_TYPE]: errorType });
  const record = (metric: string, value: number): void =>
    recordMetric(metric, settings.given.meterProvider, value, attributes, context);
  record(conventions.METRIC_INVOKE_AGENT_DURATION, (performance.now() - startedAt) / 1000);
  record(conventions.METRIC_INVOKE_AGENT_TOOL_CALLS, toolCalls);
  record(conventions.METRIC_INVOKE_AGENT_INFERENCE_CALLS, inferenceCalls);
}

/** Without what is not known: nothing is made up. */
function known(attributes: Readonly<Record<string, unknown>>): Attributes {
  return Object.fromEntries(
    Object.entries(attributes).filter(([, value]) => value !== undefined && value !== ""),
  ) as Attributes;
}
