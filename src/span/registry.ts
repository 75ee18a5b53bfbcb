import type { Context, Span, SpanContext } from "@opentelemetry/api";
import { trace } from "@opentelemetry/api";
import type { RunKey, ToolCall, ToolEnd } from "../core/call.ts";
import type { Outcome, OutcomeKind } from "../core/outcome.ts";
import type { AgentTally } from "./agent-tally.ts";
import type { Drawing } from "./drawing.ts";
import type { Settings } from "./options.ts";

/** A run of the framework's that draws no span (a chain, a graph, a node), yet is the parent of tool runs. */
export interface ParentRun {
  readonly key: RunKey;
  readonly parentKey?: RunKey | undefined;
}

/** For an adapter, a parent may be drawn, and carries what the adapter wants to remember of it. */
export interface AdapterParentRun extends ParentRun {
  readonly drawing?: Drawing | undefined;
  readonly data?: unknown;
}

/** Something that runs inside something else: an open tool run, or a run of the framework's that draws no span. */
interface Node {
  readonly key: RunKey;
  readonly parent: RunNode | undefined;
  /** Open children only. */
  children?: Set<RunNode>;
  /** What descendants threw: an error known already is not this run's own. */
  reported?: Set<unknown>;
  /** An agent counts the calls of its tools. */
  readonly tally?: AgentTally | undefined;
  /** The adapter's own. */
  readonly data?: unknown;
}

export interface OpenRun extends Node {
  readonly kind: "run";
  call: ToolCall;
  /** Missing where the tracer failed; the run is counted all the same. */
  readonly span: Span | undefined;
  /** The context the span was started in. */
  readonly context: Context;
  /** The same with the span in it; made when first asked for. */
  inside?: Context;
  /** `performance.now()` */
  readonly startedAt: number;
  readonly settings: Settings;
  /** Nobody else has its key: no event of the framework's can come for it. */
  isPrivate?: boolean;
  /** False for a call that was answered without a run. */
  isExecuted: boolean;
  /** What the tool itself gave back, where it was seen before the framework made a message of it. */
  seen?: readonly unknown[];
  /** Its end is known and its meaning is not yet: the parent's end settles it. */
  held?: Held;
  /** What its call came to, told by the parent's end. */
  settlement?: Settlement | undefined;
  /** When its parent ended without it. */
  orphanedAt?: number;
}

/** A chain, a graph, a node or a model call: a parent for tool runs, drawn only if it is an agent or a model call. */
export interface Scope extends Node {
  readonly kind: "scope";
  readonly span: Span | undefined;
  readonly drawing: Drawing | undefined;
  readonly settings: Settings;
  /** How it ends for what stopped a part of it. */
  stop?: ToolEnd | undefined;
  /** A part of it has failed. */
  hasFailed?: boolean;
  /** Its span has ended. */
  isFinished?: boolean;
  /** The context it was started in. */
  readonly context: Context;
  /** `performance.now()` */
  readonly startedAt: number;
}

export type RunNode = OpenRun | Scope;

export interface Held {
  readonly end: ToolEnd;
  readonly endedAt: number;
}

/** A tool run whose parent has ended: it has ended itself, and this is what its own end means, or it never has. */
export interface PendingRun {
  readonly call: ToolCall;
  readonly judged: Outcome | undefined;
  readonly end: ToolEnd | undefined;
  /** It failed by what was seen of the result itself; the framework has made a success of that. */
  readonly isLost?: boolean;
}

/** What the parent's end says of a run and of its call. */
export interface Settlement {
  readonly outcome: Outcome;
  /** The run failed and its call came back well all the same. */
  readonly isRecovered?: boolean;
  /** What the model finally got, where it is not what the run came to. */
  readonly callOutcome?: OutcomeKind;
}

/**
 * Settles the runs right below a parent that ended, in the order in which they started.
 * @returns one answer a run; none leaves a run to what its own end means, or open
 */
export type Settler = (
  runs: readonly PendingRun[],
  parentEnd: ToolEnd,
  parentData: unknown,
) => readonly (Settlement | undefined)[];

/** What is left of a run that was closed to make room: its end still counts. */
export type Evicted = Pick<OpenRun, "call" | "startedAt" | "settings" | "context">;

/** All state of the library, of one tracer provider. Insertion order is start order in each map. */
export interface Store {
  readonly runs: Map<RunKey, OpenRun>;
  readonly scopes: Map<RunKey, Scope>;
  readonly evicted: Map<RunKey, Evicted>;
  /** Runs that ended lately, so that a second end is known as one. */
  settled: Set<RunKey>;
  /** Those that ended before them. */
  settledBefore: Set<RunKey>;
  readonly orphans: Set<OpenRun>;
  /** Spans of interrupted runs, by resume key, for the runs that resume them. */
  readonly interrupted: Map<ToolCall["resumeKey"], SpanContext>;
  timer: NodeJS.Timeout | undefined;
  timerDue: number;
}

/** Ends come late by moments; at least this many are remembered, and at most twice as many. */
const LEAST_SETTLED = 2048;

/** The version is that of `Store`: copies of the library that agree on it share their open runs. */
const REGISTRY = Symbol.for("toolspan.registry.v1");

/**
 * The state for one tracer provider, shared by every handler and every copy of the library in the process, so that two
 * handlers of one run make one span, and handlers of different providers each make theirs.
 */
export function storeOf(provider: object): Store {
  const holder = globalThis as { [REGISTRY]?: WeakMap<object, Store> };
  const stores = (holder[REGISTRY] ??= new WeakMap());
  let store = stores.get(provider);
  if (!store) {
    store = {
      runs: new Map(),
      scopes: new Map(),
      evicted: new Map(),
      settled: new Set(),
      settledBefore: new Set(),
      orphans: new Set(),
      interrupted: new Map(),
      timer: undefined,
      timerDue: Number.POSITIVE_INFINITY,
    };
    stores.set(provider, store);
  }
  return store;
}

/** Two sets take turns: to find the oldest entry of one set, V8 walks past all that were deleted before it. */
export function markSettled(store: Store, key: RunKey): void {
  store.settled.add(key);
  if (store.settled.size < LEAST_SETTLED) return;
  store.settledBefore = store.settled;
  store.settled = new Set();
}

/** Most waits for a human end within these many others. */
const MOST_INTERRUPTED = 1000;

export function rememberInterrupted(store: Store, resumeKey: string, span: Span): void {
  store.interrupted.set(resumeKey, span.spanContext());
  if (store.interrupted.size > MOST_INTERRUPTED) store.interrupted.delete(first(store.interrupted.keys()));
}

/** Marks the context inside of a tool's body; the version is that of `OpenRun`. */
const ENTERED = Symbol.for("toolspan.entered.v1");

/** The context inside of the run's body. */
export function inside(at: Context, run: OpenRun, span: Span): Context {
  return trace.setSpan(at, span).setValue(ENTERED, run);
}

/** The run whose body this context is inside of, whichever span is active there; it may have ended. */
export function enteredRunIn(active: Context): OpenRun | undefined {
  return active.getValue(ENTERED) as OpenRun | undefined;
}

export function isSettled(store: Store, key: RunKey): boolean {
  return store.settled.has(key) || store.settledBefore.has(key);
}

export function findNode(store: Store, key: RunKey | undefined): RunNode | undefined {
  return key === undefined ? undefined : (store.runs.get(key) ?? store.scopes.get(key));
}

/** The oldest entry of a map's keys or of a set. */
export function first<T>(entries: Iterable<T>): T | undefined {
  for (const entry of entries) return entry;
  return undefined;
}

export function attach(node: RunNode): void {
  if (node.parent) (node.parent.children ??= new Set()).add(node);
}

export function detach(node: RunNode): void {
  if (node.parent) node.parent.children!.delete(node);
}

/** The open tool runs below a node that has children, nearest first. */
export function openRunsBelow(node: RunNode): readonly OpenRun[] {
  const found: OpenRun[] = [];
  const pending = [...node.children!];
  for (const child of pending) {
    if (child.kind === "run") found.push(child);
    if (child.children) pending.push(...child.children);
  }
  return found;
}

/** A root may live as long as the process; only what was thrown lately can be what it ends with. */
const MOST_REPORTED = 64;

/** Tells every ancestor that this error has been told. */
export function report(node: RunNode, error: unknown): void {
  for (const above of ancestors(node.parent)) {
    const reported = (above.reported ??= new Set());
    reported.add(error);
    if (reported.size > MOST_REPORTED) reported.delete(first(reported));
  }
}

export function* ancestors(node: RunNode | undefined): Generator<RunNode> {
  for (let at = node; at; at = at.parent) yield at;
}

/** The tally of the agent that a run belongs to: the nearest one, so that a sub-agent's calls are its own. */
export function tallyOf(node: RunNode): AgentTally | undefined {
  // A loop by hand, here and for contexts: the generator would cost more than all it visits.
  for (let at = node.parent; at; at = at.parent) if (at.tally) return at.tally;
  return undefined;
}

/** The same for what the agent itself asked for: a tool that is run by another tool is no call of the agent's. */
export function ownTallyOf(node: RunNode): AgentTally | undefined {
  let at = node.parent;
  while (at?.kind === "scope" && !at.tally) at = at.parent;
  return at?.kind === "scope" ? at.tally : undefined;
}
