import type { MeterProvider, Tracer, TracerProvider } from "@opentelemetry/api";
import { context, createNoopMeter, metrics, ProxyTracerProvider, trace } from "@opentelemetry/api";
import type { CallFacts, RunKey, ToolCall, ToolEnd } from "../core/call.ts";
import type { Outcome } from "../core/outcome.ts";
import { answered } from "../core/tool-message.ts";
import { SCOPE_NAME, SCOPE_VERSION } from "../version.ts";
import { UNNAMED_TOOL } from "./conventions.ts";
import type { ChatAnswer } from "./drawing.ts";
import { finishDrawing } from "./drawing.ts";
import type { EnteredRun } from "./enter-run.ts";
import { addFacts, enteredRun } from "./enter-run.ts";
import { countRun, judge } from "./finish-run.ts";
import { withKnownFailure } from "./known-failures.ts";
import type { RecorderOptions, Settings } from "./options.ts";
import { resolveOptions, sameOptions } from "./options.ts";
import type { AdapterParentRun, ParentRun, Scope, Settler, Store } from "./registry.ts";
import { detach, findNode, isSettled, markSettled, storeOf } from "./registry.ts";
import { runInSpan } from "./run.ts";
import { endStoppedAgent } from "./stopped-agent.ts";
import { isSuppressed, parentNode, startRun, startScope } from "./start-run.ts";
import { abandonRun, closeRun, countEvicted, endChildren, makeRoom, scheduleCheck } from "./sweep.ts";

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
  /**
   * It failed, was stopped, or steered the graph.
   * @param errorType `error.type` for a tool run whose own error this turns out to be
   */
  onParentError(key: RunKey, error: unknown, errorType?: string): void;
  /**
   * Runs a tool inside its span: HTTP, database and MCP spans made in `fn` are its children. What `fn` returns or throws
   * passes through untouched; an async generator's span lasts until it is done.
   */
  run<T>(call: Omit<ToolCall, "key"> & { readonly key?: RunKey }, fn: () => T): T;
  /** Closes the runs still open as `abandoned`, and what is drawn around them, and takes no more. Does not flush the exporter. */
  shutdown(): void;
}

/** What an adapter needs beyond the callbacks. */
export interface AdapterRecorder extends Recorder {
  /**
   * Ends a run whose meaning, or that of its call, shows only in the end of its parent, where the adapter's settler decides;
   * the end time is that of this call. Without an open parent it is judged at once.
   */
  hold(key: RunKey, end: ToolEnd, late?: CallFacts): void;
  onParentStart(run: AdapterParentRun): void;
  /** @param answer what a drawn model call answered */
  onParentEnd(key: RunKey, value?: unknown, answer?: ChatAnswer): void;
  /** What the adapter remembered of an open parent; nothing for a tool run. */
  parentData(key: RunKey | undefined): unknown;
  /** The same of what a run would be below that starts here and is told this parent: nothing inside of a tool's body. */
  dataAbove(parentKey: RunKey | undefined): unknown;
  /** Whether a tool run has started and not ended. */
  isRunning(key: RunKey): boolean;
  /**
   * A call which the model asked for and which no run was started for (refused arguments, an unknown tool, a denial, an
   * answer from a cache): a span without duration and with `toolspan.executed` false.
   */
  onCallWithoutRun(call: Omit<ToolCall, "key">, outcome: Outcome): void;
  /**
   * The run as seen from round the call: opened, unless an event opened it before, and told what is known better here. The
   * framework's events still end it; where none comes, `end` does.
   * @returns nothing where the run is not recorded
   */
  enter(call: ToolCall): EnteredRun | undefined;
}

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

/** @param settler settles the runs below a parent that ended */
export function createAdapterRecorder(options: RecorderOptions = {}, settler?: Settler): AdapterRecorder {
  return new SpanRecorder(resolveOptions(options, settler));
}

class SpanRecorder implements AdapterRecorder {
  private readonly settings: Settings;
  private readonly stores = new Set<Store>();
  /** Settings of others that ours were compared with. */
  private readonly compared = new WeakSet<Settings>();
  private provider: TracerProvider | undefined;
  private tracer: Tracer | undefined;
  private store: Store | undefined;
  private closed = false;

  constructor(settings: Settings) {
    this.settings = settings;
  }

  onToolStart(call: ToolCall): void {
    this.step("start of a run", (store) => this.start(store, call));
  }

  onToolEnd(key: RunKey, value: unknown, late?: CallFacts): void {
    const end = withKnownFailure(key, { kind: "returned", value });
    this.step("end of a run", (store) => this.end(store, key, end, late));
  }

  onToolError(key: RunKey, error: unknown, late?: CallFacts): void {
    const end = withKnownFailure(key, { kind: "threw", error });
    this.step("end of a run", (store) => this.end(store, key, end, late));
  }

  onParentStart(given: ParentRun): void {
    this.step("start of a parent", (store) => {
      if (findNode(store, given.key)) return;
      startScope(store, given, context.active(), this.currentTracer, this.settings);
      this.forgetParents(store);
    });
  }

  onParentEnd(key: RunKey, value?: unknown, answer?: ChatAnswer): void {
    this.step("end of a parent", (store) => leave(store, store.scopes.get(key), { kind: "returned", value }, answer));
  }

  onParentError(key: RunKey, error: unknown, errorType?: string): void {
    this.step("end of a parent", (store) => leave(store, store.scopes.get(key), { kind: "threw", error, errorType }));
  }

  parentData(key: RunKey | undefined): unknown {
    return key === undefined ? undefined : this.store?.scopes.get(key)?.data;
  }

  dataAbove(parentKey: RunKey | undefined): unknown {
    const store = this.currentStore();
    const node = store && parentNode(store, parentKey, context.active());
    return node?.kind === "scope" ? node.data : undefined;
  }

  isRunning(key: RunKey): boolean {
    const run = this.store?.runs.get(key);
    return run !== undefined && !run.held;
  }

  hold(key: RunKey, given: ToolEnd, late?: CallFacts): void {
    const end = withKnownFailure(key, given);
    this.step("end of a run", (store) => {
      const run = store.runs.get(key);
      if (!run?.parent) this.end(store, key, end, late);
      else run.held ??= { end, endedAt: performance.now() };
    });
  }

  onCallWithoutRun(call: Omit<ToolCall, "key">, outcome: Outcome): void {
    this.step("a call without a run", (store) => {
      const active = context.active();
      if (isSuppressed(active)) return;
      const given = { ...call, key: Symbol(call.name) };
      closeRun(store, startRun(store, given, active, this.currentTracer, this.settings, false), outcome, undefined);
    });
  }

  enter(call: ToolCall): EnteredRun | undefined {
    let entered: EnteredRun | undefined;
    this.step("start of a run", (store) => {
      const isKnown = store.runs.has(call.key);
      // Its agent was stopped, and the run's end told, before LangChain came to the tool.
      if (!isKnown && isSettled(store, call.key)) return;
      this.start(store, call);
      const run = store.runs.get(call.key);
      if (!run) return;
      if (isKnown) addFacts(run, call);
      run.isPrivate = typeof call.key === "symbol";
      entered = enteredRun(run, (end, isHeld) => {
        const isOpen = store.runs.get(call.key) === run || store.evicted.has(call.key);
        if (isOpen && isHeld) this.hold(call.key, end);
        else if (isOpen) this.step("end of a run", () => this.end(store, call.key, withKnownFailure(call.key, end)));
      });
    });
    return entered;
  }

  run<T>(call: Omit<ToolCall, "key"> & { readonly key?: RunKey }, fn: () => T): T {
    const key = call.key ?? Symbol(call.name);
    this.onToolStart({ ...call, key });
    const span = this.store?.runs.get(key)?.span;
    return runInSpan(span, fn, {
      returned: (value) => this.onToolEnd(key, value),
      threw: (error) => this.onToolError(key, error),
      stopped: () => this.step("end of a run", (store) => stop(store, key)),
    });
  }

  shutdown(): void {
    this.closed = true;
    for (const store of this.stores) {
      this.settings.guard.run("shutdown", () => abandonAll(store, (settings) => settings === this.settings));
    }
  }

  /** Every event passes here: nothing after shutdown, nothing when switched off, and no fault gets out. */
  private step(name: string, body: (store: Store) => void): void {
    if (this.closed || this.settings.disabled) return;
    this.settings.guard.run(name, () => {
      const store = this.currentStore();
      if (store) body(store);
    });
  }

  /**
   * The global provider is looked up each time: it may be registered after this recorder was made.
   * @returns nothing while there is no SDK, neither for traces nor for metrics
   */
  private currentStore(): Store | undefined {
    const provider = delegateOf(this.settings.given.tracerProvider ?? trace.getTracerProvider());
    if (provider === NO_TRACER_PROVIDER && isUncounted(this.settings.given.meterProvider)) return undefined;
    if (provider !== this.provider) {
      this.provider = provider;
      this.tracer = undefined;
      this.store = storeOf(provider);
      this.stores.add(this.store);
    }
    return this.store;
  }

  private readonly currentTracer = (): Tracer => {
    return (this.tracer ??= this.provider!.getTracer(SCOPE_NAME, SCOPE_VERSION));
  };

  private start(store: Store, call: ToolCall): void {
    const { settings } = this;
    const open = store.runs.get(call.key);
    const active = context.active();
    if (open) {
      if (this.compared.has(open.settings)) return;
      this.compared.add(open.settings);
      if (!sameOptions(open.settings.given, settings.given)) settings.guard.warn("options", TWO_HANDLERS);
    } else if (isSuppressed(active)) {
      markSettled(store, call.key); // its end must not look like that of a run whose start was lost
    } else {
      if (store.evicted.has(call.key)) countEvicted(store, call.key); // its key is used anew: no end of it will come
      startRun(store, call, active, this.currentTracer, settings);
      makeRoom(store, settings.limits.openRuns);
      scheduleCheck(store);
    }
  }

  /** A stream that its reader leaves ends no parent: those too old or too many are let go. */
  private forgetParents(store: Store): void {
    const { openRuns, runTimeoutMs } = this.settings.limits;
    for (const scope of store.scopes.values()) {
      const isExpired = performance.now() - scope.startedAt > runTimeoutMs;
      if (!isExpired && store.scopes.size <= openRuns) return;
      leave(store, scope);
    }
  }

  private end(store: Store, key: RunKey, end: ToolEnd, late?: CallFacts): void {
    const run = store.runs.get(key);
    const evicted = store.evicted.get(key);
    if (run) {
      if (!run.held) closeRun(store, run, judge(end, run), end);
    } else if (evicted) {
      store.evicted.delete(key);
      markSettled(store, key);
      countRun(evicted, judge(end, evicted), performance.now());
    } else if (!isSettled(store, key)) {
      // LangChain loses the start of a run whose input it cannot serialize.
      const { name, callId } = answered(end.kind === "returned" ? end.value : undefined);
      this.start(store, { ...late, key, name: late?.name ?? name ?? UNNAMED_TOOL, callId: late?.callId ?? callId });
      this.end(store, key, end);
    }
  }
}

const TWO_HANDLERS =
  "two handlers with different options record the same run; the options of the one that saw it first are used";

/** A parent ended; with no end, it was let go to make room. */
function leave(store: Store, scope: Scope | undefined, end?: ToolEnd, answer?: ChatAnswer): void {
  if (!scope) return;
  store.scopes.delete(scope.key);
  detach(scope);
  endChildren(store, scope, end);
  finishDrawing(scope, end, answer);
  endStoppedAgent(scope.parent, end);
}

/** A generator was left before it was done: its consumer stopped. */
function stop(store: Store, key: RunKey): void {
  const run = store.runs.get(key);
  if (run) closeRun(store, run, { kind: "cancelled" }, undefined);
}

/** Closes every run still open on a provider's spans, before its last flush. */
export function closeOpenRuns(provider: TracerProvider): void {
  abandonAll(storeOf(delegateOf(provider)), () => true);
}

function abandonAll(store: Store, isChosen: (settings: Settings) => boolean): void {
  for (const run of store.runs.values()) if (isChosen(run.settings)) abandonRun(store, run);
  for (const scope of [...store.scopes.values()].toReversed()) if (isChosen(scope.settings)) leave(store, scope);
  for (const [key, { settings }] of store.evicted) if (isChosen(settings)) countEvicted(store, key);
}

/** What the API gives out while no SDK is there. */
const NO_TRACER_PROVIDER = new ProxyTracerProvider().getDelegate();
const NO_METER = createNoopMeter();

function isUncounted(given: MeterProvider | undefined): boolean {
  return (given ?? metrics.getMeterProvider()).getMeter(SCOPE_NAME, SCOPE_VERSION) === NO_METER;
}

/** The SDK's provider behind the API's proxy, of whichever copy of the API. */
function delegateOf(provider: TracerProvider): TracerProvider {
  const proxy = provider as Partial<ProxyTracerProvider>;
  return typeof proxy.getDelegate === "function" ? proxy.getDelegate() : provider;
}
