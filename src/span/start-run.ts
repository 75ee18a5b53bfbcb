import type { Context, Span, Tracer } from "@opentelemetry/api";
import { SpanKind, trace } from "@opentelemetry/api";
import type { ToolCall } from "../core/call.ts";
import { contentJson } from "./content.ts";
import { ATTR_TOOL_CALL_ARGUMENTS, EXECUTE_TOOL, UNNAMED_TOOL } from "./conventions.ts";
import type { Settings } from "./options.ts";
import type { OpenRun, RunNode, Store } from "./registry.ts";
import { ancestors, attach, findNode } from "./registry.ts";
import { startAttributes } from "./write-outcome.ts";

/** Opens a run and its span. */
export function startRun(
  store: Store,
  given: ToolCall,
  active: Context,
  tracer: () => Tracer,
  settings: Settings,
): void {
  const parent = findNode(store, given.parentKey);
  const call: ToolCall = given.name ? given : { ...given, name: UNNAMED_TOOL };
  const parentContext = contextBelow(parent, active);
  const run: OpenRun = {
    kind: "run",
    key: call.key,
    parent,
    call,
    span: startSpan(call, parentContext, tracer, settings),
    context: parentContext,
    startedAt: performance.now(),
    settings,
  };
  attach(run);
  store.runs.set(run.key, run);
}

function startSpan(call: ToolCall, parent: Context, tracer: () => Tracer, settings: Settings): Span | undefined {
  const { given, guard, capture } = settings;
  const { attributes } = given;
  const own = attributes && guard.run("attributes", () => attributes(call));
  const span = guard.run("startSpan", () =>
    tracer().startSpan(
      `${EXECUTE_TOOL} ${call.name}`,
      { kind: SpanKind.INTERNAL, attributes: own ? { ...own, ...startAttributes(call) } : startAttributes(call) },
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
  for (const node of ancestors(parent)) {
    if (node.kind === "scope") root = node.context;
    else if (node.span) return trace.setSpan(active, node.span);
  }
  return root && !trace.getSpan(active) ? root : active;
}

const SUPPRESS_TRACING = Symbol.for("OpenTelemetry SDK Context Key SUPPRESS_TRACING");

/** Whether tracing is switched off here; the key is that of `suppressTracing` in `@opentelemetry/core`. */
export function isSuppressed(active: Context): boolean {
  return active.getValue(SUPPRESS_TRACING) === true;
}
