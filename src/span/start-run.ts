import type { Context, Link, Span, Tracer } from "@opentelemetry/api";
import { SpanKind, trace } from "@opentelemetry/api";
import type { RunKey, ToolCall } from "../core/call.ts";
import { contentJson } from "./content.ts";
import { ATTR_TOOL_CALL_ARGUMENTS, EXECUTE_TOOL, UNNAMED_TOOL } from "./conventions.ts";
import type { Settings } from "./options.ts";
import { AgentTally } from "./agent-tally.ts";
import { startDrawing } from "./drawing.ts";
import type { AdapterParentRun, OpenRun, RunNode, Scope, Store } from "./registry.ts";
import { attach, enteredRunIn, findNode, ownTallyOf, tallyOf } from "./registry.ts";
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
  const parent = parentNode(store, given.parentKey, active);
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
  const parent = parentNode(store, given.parentKey, active);
  const parentContext = contextBelow(parent, active);
  const subject = isSuppressed(active) ? undefined : given.drawing;
  const drawing = subject && settings.drawn.includes(subject.kind) ? subject : undefined;
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
  // Also where its span is left to another instrumentation.
  if (subject?.kind === "chat") tallyOf(scope)?.noteInference(scope.startedAt, ownTallyOf(scope) !== undefined);
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

/**
 * What a run that starts here is below: the parent that the framework tells, or the tool in whose body it starts if that is
 * below the parent. LangChain tells the node, not the tool, where a class or a generator does not hand its config on.
 */
export function parentNode(store: Store, key: RunKey | undefined, active: Context): RunNode | undefined {
  const told = findNode(store, key);
  const around = enteredRunIn(active);
  if (!around || store.runs.get(around.key) !== around) return told;
  for (let at: RunNode | undefined = around; at; at = at.parent) if (at === told) return around;
  return told;
}

/** The context for a span below this node: its nearest ancestor with a span, else the active span, else the root's caller. */
function contextBelow(parent: RunNode | undefined, active: Context): Context {
  let root: Context | undefined;
  for (let at = parent; at; at = at.parent) {
    // Inside of its body the active span is its own, or one that the tool has made below it.
    if (at.span) return at === enteredRunIn(active) ? active : trace.setSpan(active, at.span);
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
