import type { ToolEnd } from "../core/call.ts";
import { causeChain } from "../core/describe-error.ts";
import type { Outcome } from "../core/outcome.ts";
import { countRun, endSpan, finishRun, judge, releaseRun } from "./finish-run.ts";
import type { Held, OpenRun, PendingRun, RunNode, Scope, Settler, Store } from "./registry.ts";
import { first, markSettled, openRunsBelow } from "./registry.ts";

/** How long a run may outlive the parent that ended without it. */
const ORPHAN_GRACE_MS = 5000;
/** How often runs without an end are looked for while nothing else happens. */
const EXPIRY_CHECK_MS = 60_000;

/** Ends a run, and sees to what is still open below it. */
export function closeRun(
  store: Store,
  run: OpenRun,
  outcome: Outcome,
  end: ToolEnd | undefined,
  endedAt: number = performance.now(),
): void {
  finishRun(store, run, outcome, end, endedAt);
  endChildren(store, run, end);
}

/** What becomes of the runs still open below a run or parent that ended. */
export function endChildren(store: Store, node: RunNode, end: ToolEnd | undefined): void {
  if (!node.children?.size) return;
  if (end) settleRuns(store, node, end);
  const open = openRunsBelow(node).filter((run) => !run.held);
  const inherited = end?.kind === "threw" ? inheritedOutcome(node, end, open) : undefined;
  // The deepest first: the end of a run is that of all below it.
  for (const run of open.toReversed()) {
    if (inherited) closeRun(store, run, inherited, end);
    else orphan(store, run);
  }
}

/**
 * A parent's stop is that of everything in it. Its error is the only open run's own, unless a descendant has reported it:
 * the framework threw after the tool had returned.
 */
function inheritedOutcome(
  node: RunNode,
  end: ToolEnd & { readonly kind: "threw" },
  open: readonly OpenRun[],
): Outcome | undefined {
  const [run, ...others] = open;
  if (!run) return undefined;
  const outcome = judge(end, run);
  if (outcome.kind === "cancelled") return outcome;
  const isKnown = causeChain(end.error).some((error) => node.reported?.has(error));
  return others.length === 0 && !isKnown ? outcome : undefined;
}

/** Ends the runs right below a parent which have ended themselves, and those whose end its own end tells. */
function settleRuns(store: Store, node: RunNode, end: ToolEnd): void {
  const runs = [...node.children!].filter((child) => child.kind === "run");
  if (runs.length === 0) return;
  const pending = runs.map((run): PendingRun => {
    const { call, held, settings } = run;
    const judged = held && judge(held.end, run);
    const isLost = judged?.kind === "error" && judge(held!.end, { call, settings }).kind === "ok";
    return { call, judged, end: held?.end, isLost };
  });
  const settled = node.kind === "scope" ? askSettler(node, pending, end) : undefined;
  for (const [index, run] of runs.entries()) {
    const settlement = settled?.[index];
    const outcome = settlement?.outcome ?? pending[index]!.judged;
    if (!outcome) continue;
    run.settlement = settlement;
    closeRun(store, run, outcome, run.held?.end, run.held?.endedAt);
  }
}

/** The parent's: runs of others may be in it, such as one that only a wrap saw. */
function askSettler(
  { settings, data }: Scope,
  pending: readonly PendingRun[],
  end: ToolEnd,
): ReturnType<Settler> | undefined {
  return settings.guard.run("settling of runs", () => settings.settler?.(pending, end, data));
}

/** Its parent's end will never be known: it is what its own end means. */
function judgeHeld(store: Store, run: OpenRun, held: Held): void {
  closeRun(store, run, judge(held.end, run), held.end, held.endedAt);
}

/** Its parent ended well, or by an error that is not its own: it may still be running, or its end may never come. */
function orphan(store: Store, run: OpenRun): void {
  run.orphanedAt ??= performance.now();
  store.orphans.add(run);
  scheduleCheck(store, ORPHAN_GRACE_MS);
}

/** Closes a run that will have no end that we hear of. */
export function abandonRun(store: Store, run: OpenRun): void {
  if (run.held) judgeHeld(store, run, run.held);
  else closeRun(store, run, { kind: "abandoned" }, undefined, run.orphanedAt);
}

/** Keeps the number and the age of open runs within their limits: expired ones go first, then the oldest. */
export function makeRoom(store: Store, openRuns: number): void {
  const now = performance.now();
  for (const run of store.runs.values()) {
    const isExpired = now - run.startedAt > run.settings.limits.runTimeoutMs;
    if (!isExpired && store.runs.size <= openRuns) return;
    evict(store, run);
  }
}

/** Closes the span; the run is counted when its end comes after all, else at shutdown. */
function evict(store: Store, run: OpenRun): void {
  if (run.held) {
    judgeHeld(store, run, run.held);
    return;
  }
  releaseRun(store, run);
  endSpan(run, { kind: "abandoned" }, undefined, performance.now());
  const { call, startedAt, settings, context } = run;
  store.evicted.set(run.key, { call: { ...call, args: undefined }, startedAt, settings, context });
  if (store.evicted.size > settings.limits.openRuns) countEvicted(store, first(store.evicted.keys())!);
  endChildren(store, run, undefined);
}

/** Gives up waiting for the end of an evicted run. */
export function countEvicted(store: Store, key: OpenRun["key"]): void {
  const evicted = store.evicted.get(key)!;
  store.evicted.delete(key);
  markSettled(store, key);
  countRun(evicted, { kind: "abandoned" }, performance.now());
}

/** One timer a provider, only while runs are open, which never keeps Node alive. */
export function scheduleCheck(store: Store, delay: number = EXPIRY_CHECK_MS): void {
  const due = performance.now() + delay;
  if (store.timer && store.timerDue <= due) return;
  clearTimeout(store.timer);
  store.timerDue = due;
  store.timer = setTimeout(() => check(store), delay);
  store.timer.unref();
}

function check(store: Store): void {
  store.timer = undefined;
  for (const run of store.orphans) {
    if (performance.now() - run.orphanedAt! >= ORPHAN_GRACE_MS) abandonRun(store, run);
  }
  makeRoom(store, Number.POSITIVE_INFINITY);
  if (store.runs.size > 0) scheduleCheck(store, store.orphans.size > 0 ? ORPHAN_GRACE_MS : EXPIRY_CHECK_MS);
}
