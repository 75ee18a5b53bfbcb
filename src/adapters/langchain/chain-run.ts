import type { RunKey } from "../../core/call.ts";
import { read, readItems, readText } from "../../core/read.ts";
import { asToolMessage } from "../../core/tool-message.ts";

/**
 * What is known of the calls in one run of a graph, its subgraphs included. A graph inside a tool has a ledger of its own: its
 * model may use the same call ids.
 */
export interface Ledger {
  /** Calls that have a span, whether they ran or not. */
  readonly settled: Set<string>;
  /** Calls whose arguments were seen to be refused. */
  readonly refused: Set<string>;
  /** The runs of each call so far. */
  readonly attempts: Map<string, Attempts>;
  /** What the model asked for, by call id. */
  readonly asked: Map<string, string>;
  /** The tools it was offered; nothing where the model does not say. */
  offered: Set<string> | undefined;
}

interface Attempts {
  readonly runs: number;
  readonly lastRun: RunKey;
}

/** What the handler remembers of a chain run while it is open. */
export interface ChainRun {
  readonly ledger: Ledger;
  readonly parent: ChainRun | undefined;
  readonly parentKey: string | undefined;
  /** The node's name, if the run is a node of a graph. */
  readonly node: string | undefined;
  /** The agent that it belongs to. */
  readonly agent: string | undefined;
  /** The messages it was given, if it is a node: a list of its own, since a node may add to the state's. */
  readonly given: readonly unknown[];
  /** A model ran in it: what it emits itself may be structured output, which LangChain dresses up as a tool call. */
  ranModel: boolean;
}

export function createLedger(): Ledger {
  return { settled: new Set(), refused: new Set(), attempts: new Map(), asked: new Map(), offered: undefined };
}

/** LangChain's default for a graph that was given no name. */
const UNNAMED_GRAPH = "LangGraph";

/** A compiled graph: an agent, or an application made of some. */
export function isGraph(chain: unknown): boolean {
  return readItems(read(chain, "id"))?.includes("pregel") === true;
}

export function openChainRun(
  chain: unknown,
  inputs: unknown,
  parent: { readonly run: ChainRun | undefined; readonly key: string | undefined },
  metadata: unknown,
  runName: string | undefined,
): ChainRun {
  const isAgent = isGraph(chain);
  const nodeName = readText(metadata, "langgraph_node");
  const node = !isAgent && nodeName === runName ? nodeName : undefined;
  return {
    ledger: parent.run?.ledger ?? createLedger(),
    parent: parent.run,
    parentKey: parent.key,
    node,
    agent: isAgent ? graphName(runName) : parent.run?.agent,
    given: node === undefined ? [] : (readItems(read(inputs, "messages")) ?? readItems(inputs) ?? []),
    ranModel: false,
  };
}

export function graphName(runName: string | undefined): string | undefined {
  return runName === UNNAMED_GRAPH ? undefined : runName;
}

/** Whether the call is answered in the state that the node starts from. */
export function isAnsweredIn(messages: readonly unknown[], callId: string): boolean {
  return messages.some((message) => readText(asToolMessage(message), "tool_call_id") === callId);
}

/**
 * A run of a call starts.
 *
 * @returns the name that the model asked by, and 2, 3, … for a run of a call whose earlier run has ended
 */
export function noteRun(
  ledger: Ledger,
  callId: string,
  run: RunKey,
  isRunning: (run: RunKey) => boolean,
): { readonly asked: string | undefined; readonly attempt: number | undefined } {
  const earlier = ledger.attempts.get(callId);
  // Models sometimes send one id twice in one answer: the second of two parallel runs is no retry.
  const isRetry = earlier !== undefined && !isRunning(earlier.lastRun);
  const runs = isRetry ? earlier.runs + 1 : 1;
  ledger.attempts.set(callId, { runs, lastRun: run });
  ledger.settled.add(callId);
  return { asked: ledger.asked.get(callId), attempt: runs > 1 ? runs : undefined };
}

/**
 * A call's arguments were refused, which is its first try.
 *
 * @returns whether that is news: a retry that is refused like the try before it is none
 */
export function noteRefusal(ledger: Ledger, callId: string, run: RunKey): boolean {
  if (ledger.refused.has(callId)) return false;
  ledger.refused.add(callId);
  ledger.settled.add(callId);
  ledger.attempts.set(callId, { runs: 1, lastRun: run });
  return true;
}

/** The model asks anew: an id it used before is another call now. */
export function noteAsked(ledger: Ledger, callId: string, name: string): void {
  ledger.asked.set(callId, name);
  ledger.settled.delete(callId);
  ledger.refused.delete(callId);
  ledger.attempts.delete(callId);
}

/** Marks the chain runs around a model call. */
export function noteModel(run: ChainRun | undefined): void {
  for (let at = run; at; at = at.parent) {
    at.ranModel = true;
    if (at.node !== undefined) return;
  }
}
