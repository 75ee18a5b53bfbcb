import type { Context, Link, Span, Tracer } from "@opentelemetry/api";
import { SpanKind, trace } from "@opentelemetry/api";
import type { ToolCall } from "../core/call.ts";
import { contentJson } from "./content.ts";
import { ATTR_TOOL_CALL_ARGUMENTS, EXECUTE_TOOL, UNNAMED_TOOL } from "./conventions.ts";
import type { Settings } from "./options.ts";
import { AgentTally } from "./agent-tally.ts";
import { startDrawing } from "./drawing.ts";
import type { AdapterParentRun, OpenRun, RunNode, Scope, Store } from "./registry.ts";
import { attach, findNode, tallyOf } from "./registry.ts";
import { startAttributes } from "./write-outcome.ts";

/** Opens a run and its span. */
export function startRun(
  store: Store,
  given: ToolCall,
  active: Context,
  tracer: () => Tracer,
  settings: Settings,
  isExecuted = true,
): OpenRun {
  const parent = findNode(store, given.parentKey);
  const call: ToolCall = given.name ? given : { ...given, name: UNNAMED_TOOL };
  const parentContext = contextBelow(parent, active);
  const run: OpenRun = {
    kind: "run",
    key: call.key,
    parent,
    call,
    span: startSpan(call, parentContext, linksTo(store, call), tracer, settings),
    context: parentContext,
    startedAt: performance.now(),
    settings,
    isExecuted,
  };
  attach(run);
  store.runs.set(run.key, run);
  return run;
}

/** Opens a parent, with a span if it is an agent or a model call that is to be drawn. */
export function startScope(
  store: Store,
  given: AdapterParentRun,
  active: Context,
  tracer: () => Tracer,
  settings: Settings,
): void {
  const parent = findNode(store, given.parentKey);
  const parentContext = contextBelow(parent, active);
  const drawing = settings.drawsAgent && !isSuppressed(active) ? given.drawing : undefined;
  const scope: Scope = {
    kind: "scope",
    key: given.key,
    parent,
    context: parentContext,
    span: drawing && settings.guard.run("startSpan", () => startDrawing(drawing, parentContext, tracer(), settings)),
    drawing,
    tally: drawing?.kind === "agent" ? new AgentTally() : undefined,
    startedAt: performance.now(),
    settings,
    data: given.data,
  };
  if (drawing?.kind === "chat") tallyOf(scope)?.noteInference();
  attach(scope);
  store.scopes.set(scope.key, scope);
}

/** A resumed run is another span than the interrupted one, maybe in another trace: a link joins them. */
function linksTo(store: Store, { resumeKey }: ToolCall): Link[] {
  const interrupted = store.interrupted.get(resumeKey);
  store.interrupted.delete(resumeKey);
  return interrupted ? [{ context: interrupted }] : [];
}

function startSpan(
  call: ToolCall,
  parent: Context,
  links: Link[],
  tracer: () => Tracer,
  settings: Settings,
): Span | undefined {
  const { given, guard, capture } = settings;
  const { attributes } = given;
  const own = attributes && guard.run("attributes", () => attributes(call));
  const span = guard.run("startSpan", () =>
    tracer().startSpan(
      `${EXECUTE_TOOL} ${call.name}`,
      {
        kind: SpanKind.INTERNAL,
        attributes: own ? { ...own, ...startAttributes(call) } : startAttributes(call),
        links,
      },
      parent,
    ),
  );
  if (!capture.arguments || call.args === undefined || !span) return span;
  guard.run("setAttribute", () => {
    if (!span.isRecording()) return;
    const json = contentJson(call.args, "arguments", undefined, settings);
    if (json !== undefined) span.setAttribute(ATTR_TOOL_CALL_ARGUMENTS, json);
  });
  return span;
}

/** The context for a span below this node: its nearest ancestor with a span, else the active span, else the root's caller. */
function contextBelow(parent: RunNode | undefined, active: Context): Context {
  let root: Context | undefined;
  for (let at = parent; at; at = at.parent) {
    if (at.span) return trace.setSpan(active, at.span);
    root = at.context;
  }
  return root && !trace.getSpan(active) ? root : active;
}

/** The key of `suppressTracing` in `@opentelemetry/core`. */
export const SUPPRESS_TRACING = Symbol.for("OpenTelemetry SDK Context Key SUPPRESS_TRACING");

/** Whether tracing is switched off here. */
export function isSuppressed(active: Context): boolean {
  return active.getValue(SUPPRESS_TRACING) === true;
}
