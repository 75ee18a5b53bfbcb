import type { Context, ProxyTracerProvider, Span, Tracer, TracerProvider } from "@opentelemetry/api";
import { context, SpanKind, trace } from "@opentelemetry/api";
import type { CallFacts, RunKey, ToolCall, ToolEnd } from "../core/call.ts";
import { classify } from "../core/classify.ts";
import { causeChain } from "../core/describe-error.ts";
import type { Outcome } from "../core/outcome.ts";
import { toolError } from "../core/outcome.ts";
import type { Rule } from "../core/rules.ts";
import { defaultRules } from "../core/rules.ts";
import { answered, contentText } from "../core/tool-message.ts";
import { SCOPE_NAME, SCOPE_VERSION } from "../version.ts";
import { contentJson } from "./content.ts";
import {
  ATTR_TOOL_CALL_ARGUMENTS,
  ATTR_TOOL_CALL_ID,
  ATTR_TOOL_NAME,
  EXECUTE_TOOL,
  UNNAMED_TOOL,
} from "./conventions.ts";
import type { Guard } from "./guard.ts";
import { createGuard } from "./guard.ts";
import { recordDuration } from "./metric.ts";
import type { RecorderOptions, Settings } from "./options.ts";
import { resolveOptions, sameOptions } from "./options.ts";
import type { Held, OpenRun, RunNode, Scope, Store } from "./registry.ts";
import * as registry from "./registry.ts";
import { runInSpan } from "./run.ts";
import { metricAttributes, startAttributes, writeOutcome } from "./write-outcome.ts";

/** A run of the framework's that draws no span (a chain, a graph, a node), yet is the parent of tool runs. */
export interface ParentRun {
  readonly key: RunKey;
  readonly parentKey?: RunKey | undefined;
}

/**
 * The generic callback handler: a framework's tool events go in, one span and one metric point a run come out. No method
 * throws; what goes wrong inside is told to OpenTelemetry's `diag`.
 */
export interface Recorder {
  /** A run starts. A second start of an open run is ignored. */
  onToolStart(call: ToolCall): void;
  /**
   * The tool returned. Right for branded failure shapes (LangChain `ToolMessage` and `Command`, MCP, Anthropic, Bedrock,
   * AI SDK) with no adapter. The first end of a run wins.
   * @param late what is known of the call, for a run whose start was lost
   */
  onToolEnd(key: RunKey, value: unknown, late?: CallFacts): void;
  /** The tool threw; anything can be thrown. */
  onToolError(key: RunKey, error: unknown, late?: CallFacts): void;
  /** A run starts that draws no span and may be the parent of tool runs. */
  onParentStart(run: ParentRun): void;
  /** It ended well. Tool runs still open below it have a few seconds left to end before they count as abandoned. */
  onParentEnd(key: RunKey, value?: unknown): void;
  /** It failed, was stopped, or steered the graph. */
  onParentError(key: RunKey, error: unknown): void;
  /**
   * Runs a tool inside its span: HTTP, database and MCP spans made in `fn` are its children. What `fn` returns or throws
   * passes through untouched; an async generator's span lasts until it is done.
   */
  run<T>(call: Omit<ToolCall, "key"> & { readonly key?: RunKey }, fn: () => T): T;
  /** Closes the runs still open as `abandoned` and takes no more. Does not flush the exporter. */
  shutdown(): void;
}

/** What an adapter needs beyond the callbacks. */
export interface AdapterRecorder extends Recorder {
  /**
   * Ends a run whose meaning shows only in the end of its parent; the end time is that of this call. Without an open parent
   * it is settled at once.
   */
  hold(key: RunKey, end: ToolEnd, settle: Held["settle"]): void;
}

/** How long a run may outlive the parent that ended without it. */
const ORPHAN_GRACE_MS = 5000;
const EXPIRY_CHECK_MS = 60_000;

/**
 * @param options the same at every door; an unknown or impossible one throws a `TypeError` that says what to do
 * @example
 * const recorder = createRecorder();
 * recorder.onToolStart({ key: runId, name: "search", callId });
 * recorder.onToolEnd(runId, result);
 */
export function createRecorder(options: RecorderOptions = {}): Recorder {
  return createAdapterRecorder(options);
}

/** @param frameworkRules signs of failure in shapes that only this framework gives a meaning */
export function createAdapterRecorder(
  options: RecorderOptions = {},
  frameworkRules: readonly Rule[] = [],
): AdapterRecorder {
  const settings = resolveOptions(options, frameworkRules);
  return new SpanRecorder(settings, createGuard());
}

class SpanRecorder implements AdapterRecorder {
  private readonly settings: Settings;
  private readonly guard: Guard;
  private readonly stores = new Set<Store>();
  private provider: TracerProvider | undefined;
  private tracer: Tracer | undefined;
  private store: Store | undefined;
  private closed = false;

  constructor(settings: Settings, guard: Guard) {
    this.settings = settings;
    this.guard = guard;
  }

  onToolStart(call: ToolCall): void {
    this.step("start of a run", (store) => this.start(store, call));
  }

  onToolEnd(key: RunKey, value: unknown, late?: CallFacts): void {
    this.step("end of a run", (store) => this.end(store, key, { kind: "returned", value }, late));
  }

  onToolError(key: RunKey, error: unknown, late?: CallFacts): void {
    this.step("end of a run", (store) => this.end(store, key, { kind: "threw", error }, late));
  }

  onParentStart({ key, parentKey }: ParentRun): void {
    this.step("start of a parent", (store) => {
      if (registry.findNode(store, key)) return;
      const parent = registry.findNode(store, parentKey);
      const scope: Scope = {
        kind: "scope",
        key,
        parent,
        children: new Set(),
        reported: new Set(),
        context: parent ? undefined : context.active(),
      };
      registry.attach(scope);
      store.scopes.set(key, scope);
      if (store.scopes.size > this.settings.limits.openRuns) this.leave(store, registry.first(store.scopes.values())!);
    });
  }

  onParentEnd(key: RunKey, value?: unknown): void {
    this.step("end of a parent", (store) => this.endParent(store, key, { kind: "returned", value }));
  }

  onParentError(key: RunKey, error: unknown): void {
    this.step("end of a parent", (store) => this.endParent(store, key, { kind: "threw", error }));
  }

  hold(key: RunKey, end: ToolEnd, settle: Held["settle"]): void {
    this.step("end of a run", (store) => {
      const run = store.runs.get(key);
      if (run?.held) return;
      if (run?.parent) run.held = { end, endedAt: performance.now(), settle };
      else this.end(store, key, end);
    });
  }

  run<T>(call: Omit<ToolCall, "key"> & { readonly key?: RunKey }, fn: () => T): T {
    const key = call.key ?? Symbol(call.name);
    this.onToolStart({ ...call, key });
    const span = this.guard.run("look-up of a run", () => this.store?.runs.get(key)?.span);
    return runInSpan(span, fn, {
      returned: (value) => this.onToolEnd(key, value),
      threw: (error) => this.onToolError(key, error),
      stopped: () => this.step("end of a run", (store) => this.abandon(store, key)),
    });
  }

  shutdown(): void {
    this.guard.run("shutdown", () => {
      this.closed = true;
      for (const store of this.stores) {
        for (const run of [...store.runs.values()])
          if (run.settings === this.settings) closeOpenRun(store, run, this.guard);
        countEvicted(store, (evicted) => evicted.settings === this.settings, this.guard);
      }
    });
  }

  /** Every event passes here: nothing after shutdown, nothing when switched off, and no fault gets out. */
  private step(name: string, body: (store: Store) => void): void {
    if (this.closed || this.settings.disabled) return;
    this.guard.run(name, () => body(this.currentStore()));
  }

  /** The global provider is looked up each time: it may be registered after this recorder was made. */
  private currentStore(): Store {
    const provider = delegateOf(this.settings.given.tracerProvider ?? trace.getTracerProvider());
    if (!this.store || provider !== this.provider) {
      this.provider = provider;
      this.tracer = undefined;
      this.store = registry.storeOf(provider);
      this.stores.add(this.store);
    }
    return this.store;
  }

  private currentTracer(): Tracer {
    return (this.tracer ??= this.provider!.getTracer(SCOPE_NAME, SCOPE_VERSION));
  }

  private start(store: Store, given: ToolCall): void {
    const open = store.runs.get(given.key);
    if (open) {
      if (open.settings !== this.settings && !sameOptions(open.settings.given, this.settings.given)) {
        this.guard.warn(
          "options",
          "two handlers with different options record the same run; the first one's options are used",
        );
      }
      return;
    }
    const active = context.active();
    if (isSuppressed(active)) {
      registry.markSettled(store, given.key); // its end must not look like one whose start was lost
      return;
    }
    store.settled.delete(given.key);
    const parent = registry.findNode(store, given.parentKey);
    const call: ToolCall = { ...given, name: given.name || UNNAMED_TOOL };
    const parentContext = contextBelow(parent, active);
    const span = this.startSpan(call, parentContext);
    const run: OpenRun = {
      kind: "run",
      key: given.key,
      parent,
      children: new Set(),
      reported: new Set(),
      call,
      span,
      context: parentContext,
      startedAt: performance.now(),
      settings: this.settings,
    };
    registry.attach(run);
    store.runs.set(run.key, run);
    makeRoom(store, this.settings, this.guard);
    schedule(store, Math.min(EXPIRY_CHECK_MS, this.settings.limits.runTimeoutMs), this.guard);
  }

  private startSpan(call: ToolCall, parent: Context): Span | undefined {
    const { attributes } = this.settings.given;
    const own = attributes && this.guard.run("attributes", () => attributes(call));
    return this.guard.run("startSpan", () => {
      const span = this.currentTracer().startSpan(
        `${EXECUTE_TOOL} ${call.name}`,
        { kind: SpanKind.INTERNAL, attributes: { ...own, ...startAttributes(call) } },
        parent,
      );
      if (this.settings.capture.arguments && call.args !== undefined && span.isRecording()) {
        const json = contentJson(call.args, "arguments", undefined, this.settings, this.guard);
        if (json !== undefined) span.setAttribute(ATTR_TOOL_CALL_ARGUMENTS, json);
      }
      return span;
    });
  }

  private end(store: Store, key: RunKey, end: ToolEnd, late?: CallFacts): void {
    const run = store.runs.get(key);
    if (run) {
      if (!run.held) closeRun(store, run, judge(end, run, this.guard), end, performance.now(), this.guard);
      return;
    }
    const evicted = store.evicted.get(key);
    if (evicted) {
      store.evicted.delete(key);
      registry.markSettled(store, key);
      count(evicted, judge(end, evicted, this.guard), performance.now(), this.guard);
      return;
    }
    if (store.settled.has(key) || isSuppressed(context.active())) return;
    // LangChain loses the start of a run whose input it cannot serialize.
    const { name, callId } = answered(end.kind === "returned" ? end.value : undefined);
    this.start(store, { ...late, key, name: late?.name ?? name ?? UNNAMED_TOOL, callId: late?.callId ?? callId });
    this.end(store, key, end);
  }

  /** A generator was left before it was done: its consumer stopped. */
  private abandon(store: Store, key: RunKey): void {
    const run = store.runs.get(key);
    if (run && !run.held) closeRun(store, run, { kind: "cancelled" }, undefined, performance.now(), this.guard);
  }

  private endParent(store: Store, key: RunKey, end: ToolEnd): void {
    const scope = store.scopes.get(key);
    if (scope) this.leave(store, scope, end);
  }

  private leave(store: Store, scope: Scope, end?: ToolEnd): void {
    store.scopes.delete(scope.key);
    registry.detach(scope);
    endChildren(store, scope, end, this.guard);
  }
}

/** Closes every run still open on a provider's spans, before its last flush. */
export function closeOpenRuns(provider: TracerProvider): void {
  const guard = createGuard();
  const store = registry.storeOf(delegateOf(provider));
  guard.run("closing of open runs", () => {
    for (const run of [...store.runs.values()]) closeOpenRun(store, run, guard);
    countEvicted(store, () => true, guard);
  });
}

/** The SDK's provider behind the API's proxy, of whichever copy of the API. */
function delegateOf(provider: TracerProvider): TracerProvider {
  const proxy = provider as Partial<ProxyTracerProvider>;
  return typeof proxy.getDelegate === "function" ? proxy.getDelegate() : provider;
}

function judge(end: ToolEnd, run: Pick<OpenRun, "call" | "settings">, guard: Guard): Outcome {
  const { rules, given } = run.settings;
  const outcome = guard.run("rules", () => classify(end, rules, run.call)) ?? classify(end, defaultRules, run.call);
  if (outcome.kind !== "ok" || end.kind === "threw" || !given.isFailure) return outcome;
  const failed = guard.run("isFailure", () => given.isFailure!(end.value, run.call)) === true;
  return failed ? toolError(contentText(end.value)) : outcome;
}

/** Whether tracing is switched off in this context; the key is that of `suppressTracing` in `@opentelemetry/core`. */
function isSuppressed(active: Context): boolean {
  return active.getValue(SUPPRESS_TRACING) === true;
}

const SUPPRESS_TRACING = Symbol.for("OpenTelemetry SDK Context Key SUPPRESS_TRACING");

/** The context for a span below this node: its nearest ancestor with a span, else the active span, else the root's caller. */
function contextBelow(parent: RunNode | undefined, active: Context): Context {
  let root: Context | undefined;
  for (const node of registry.ancestors(parent)) {
    if (node.kind === "scope") root = node.context ?? root;
    else if (node.span) return trace.setSpan(active, node.span);
  }
  return root && !trace.getSpan(active) ? root : active;
}

/** Writes the outcome to span and metric, and lets go of the run. */
function closeRun(
  store: Store,
  run: OpenRun,
  outcome: Outcome,
  end: ToolEnd | undefined,
  endedAt: number,
  guard: Guard,
): void {
  release(store, run);
  nameAfterAnswer(run, end, guard);
  if (outcome.kind !== "ok" && outcome.thrown) {
    registry.report(run, outcome.thrown.error);
  }
  endSpan(run, outcome, end, endedAt, guard);
  count(run, outcome, endedAt, guard);
  endChildren(store, run, end, guard);
}

function release(store: Store, run: OpenRun): void {
  store.runs.delete(run.key);
  store.orphans.delete(run);
  registry.detach(run);
  registry.markSettled(store, run.key);
}

/** The tool's answer knows the call id where the start had none, and the name where it had the caller's or a class's. */
function nameAfterAnswer(run: OpenRun, end: ToolEnd | undefined, guard: Guard): void {
  if (end?.kind !== "returned") return;
  const { call, span } = run;
  const { name, callId } = answered(end.value);
  const otherCall = call.callId !== undefined && callId !== call.callId;
  const known: { name?: string; callId?: string } = {};
  if (!call.callId && callId) known.callId = callId;
  if (name && name !== call.name && !otherCall) known.name = name;
  if (!known.name && !known.callId) return;
  run.call = { ...call, ...known };
  guard.run("setAttribute", () => {
    if (known.callId) span?.setAttribute(ATTR_TOOL_CALL_ID, known.callId);
    if (known.name) span?.setAttribute(ATTR_TOOL_NAME, known.name).updateName(`${EXECUTE_TOOL} ${known.name}`);
  });
}

function endSpan(run: OpenRun, outcome: Outcome, end: ToolEnd | undefined, endedAt: number, guard: Guard): void {
  const { span } = run;
  if (!span) return;
  guard.run("setAttribute", () => {
    if (span.isRecording()) writeOutcome(span, outcome, end, run.call, run.settings, guard);
  });
  // A span that ends now needs no time; one that was held is given the moment it ended.
  guard.run("end", () => (performance.now() - endedAt < 1 ? span.end() : span.end(endedAt)));
}

function count(
  run: Pick<OpenRun, "call" | "startedAt" | "settings" | "context">,
  outcome: Outcome,
  endedAt: number,
  guard: Guard,
): void {
  guard.run("metric", () =>
    recordDuration(
      run.settings.given.meterProvider,
      Math.max(0, endedAt - run.startedAt) / 1000,
      metricAttributes(outcome, run.call, run.settings),
      "span" in run && run.span ? trace.setSpan(run.context, run.span as Span) : run.context,
    ),
  );
}

/** What becomes of the runs still open below a run or parent that ended. */
function endChildren(store: Store, node: RunNode, end: ToolEnd | undefined, guard: Guard): void {
  if (node.children.size === 0) return;
  const runs = registry.openRunsBelow(node);
  for (const run of runs) if (run.held && run.parent === node) settleRun(store, run, end, guard);
  const open = runs.filter((run) => !run.held);
  const inherited = end?.kind === "threw" ? inheritedOutcome(node, end, open, guard) : undefined;
  for (const run of open) {
    if (inherited) closeRun(store, run, inherited, end, performance.now(), guard);
    else orphan(store, run, guard);
  }
}

/**
 * A parent's stop is that of everything in it. Its error is the only open run's own, unless a descendant has reported it:
 * the framework threw after the tool had returned.
 */
function inheritedOutcome(node: RunNode, end: ToolEnd, open: readonly OpenRun[], guard: Guard): Outcome | undefined {
  const only = open.length === 1 ? open[0] : undefined;
  const outcome = open[0] && judge(end, only ?? open[0], guard);
  if (outcome?.kind === "cancelled") return outcome;
  const known = end.kind === "threw" && causeChain(end.error).some((error) => node.reported.has(error));
  return only && !known ? outcome : undefined;
}

function settleRun(store: Store, run: OpenRun, parentEnd: ToolEnd | undefined, guard: Guard): void {
  const { end, endedAt, settle } = run.held!;
  const outcome = guard.run("settling of a run", () => settle(run.call, parentEnd)) ?? judge(end, run, guard);
  closeRun(store, run, outcome, end, endedAt, guard);
}

/** Its parent ended well, or by an error that is not its own: it may still be running, or its end may never come. */
function orphan(store: Store, run: OpenRun, guard: Guard): void {
  run.orphanedAt ??= performance.now();
  store.orphans.add(run);
  schedule(store, ORPHAN_GRACE_MS, guard);
}

/** The run will have no end that we hear of. */
function closeOpenRun(store: Store, run: OpenRun, guard: Guard): void {
  if (run.held) settleRun(store, run, undefined, guard);
  else closeRun(store, run, { kind: "abandoned" }, undefined, run.orphanedAt ?? performance.now(), guard);
}

/** Expired runs go first, being the oldest; then the oldest of the others. */
function makeRoom(store: Store, settings: Settings, guard: Guard): void {
  for (const run of store.runs.values()) {
    const expired = performance.now() - run.startedAt > run.settings.limits.runTimeoutMs;
    if (!expired && store.runs.size <= settings.limits.openRuns) return;
    evict(store, run, guard);
  }
}

/** Closes the span; the run is counted when its end comes after all, else at shutdown. */
function evict(store: Store, run: OpenRun, guard: Guard): void {
  if (run.held) {
    settleRun(store, run, undefined, guard);
    return;
  }
  release(store, run);
  store.settled.delete(run.key);
  endSpan(run, { kind: "abandoned" }, undefined, performance.now(), guard);
  const { call, startedAt, settings, context: parentContext } = run;
  store.evicted.set(run.key, { call: { ...call, args: undefined }, startedAt, settings, context: parentContext });
  if (store.evicted.size > settings.limits.openRuns) {
    const [key, oldest] = registry.first(store.evicted)!;
    store.evicted.delete(key);
    count(oldest, { kind: "abandoned" }, performance.now(), guard);
  }
  endChildren(store, run, undefined, guard);
}

function countEvicted(store: Store, chosen: (evicted: registry.Evicted) => boolean, guard: Guard): void {
  for (const [key, evicted] of store.evicted) {
    if (!chosen(evicted)) continue;
    store.evicted.delete(key);
    registry.markSettled(store, key);
    count(evicted, { kind: "abandoned" }, performance.now(), guard);
  }
}

/** One timer a provider, only while runs are open, which never keeps Node alive. */
function schedule(store: Store, delay: number, guard: Guard): void {
  const due = performance.now() + delay;
  if (store.timer && store.timerDue <= due) return;
  clearTimeout(store.timer);
  store.timerDue = due;
  store.timer = setTimeout(() => guard.run("timer", () => tick(store, guard)), delay);
  store.timer.unref();
}

function tick(store: Store, guard: Guard): void {
  store.timer = undefined;
  store.timerDue = Number.POSITIVE_INFINITY;
  for (const run of [...store.orphans]) {
    if (performance.now() - run.orphanedAt! >= ORPHAN_GRACE_MS) closeOpenRun(store, run, guard);
  }
  const oldest = registry.first(store.runs.values());
  if (!oldest) return;
  makeRoom(store, oldest.settings, guard);
  if (store.runs.size > 0) schedule(store, store.orphans.size > 0 ? ORPHAN_GRACE_MS : EXPIRY_CHECK_MS, guard);
}
