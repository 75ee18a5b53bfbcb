import type { RunKey, ToolCall } from "../core/call.ts";
import type { OutcomeKind } from "../core/outcome.ts";

/** One call as the model will see it: its last run's outcome, or what its answer was turned into. */
interface TalliedCall {
  readonly tool: string;
  /** `performance.now()` */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly outcome: OutcomeKind;
}

/** What an agent's invocation did, so that an answer which stands on failures can be found. */
export interface AgentCounts {
  readonly toolCalls: number;
  readonly failedToolCalls: number;
  /** Failed calls after which no later call of the same tool came back well. */
  readonly unrecoveredToolCalls: number;
  readonly inferenceCalls: number;
}

/** Counts calls, not runs: later runs of one call (retries) replace what the earlier ones came to. */
export class AgentTally {
  /** By the first run of each. */
  private readonly calls = new Map<RunKey, TalliedCall>();
  /** The first run of the call that had this id last: models give one id to several calls. */
  private readonly firstRuns = new Map<string | undefined, RunKey>();
  /** When the agent's own model was asked, in that order. */
  private readonly turns: number[] = [];
  private inferences = 0;

  noteRun({ key, callId, attempt }: ToolCall, call: TalliedCall): void {
    // Only runs of a call with an id are known to be later ones.
    const first = (attempt !== undefined && this.firstRuns.get(callId)) || key;
    this.firstRuns.set(callId, first);
    const earlier = this.calls.get(first);
    this.calls.set(first, earlier ? { ...call, startedAt: Math.min(earlier.startedAt, call.startedAt) } : call);
  }

  /** @param isOwn a model that a tool asks is no turn of the agent's */
  noteInference(startedAt: number, isOwn: boolean): void {
    this.inferences++;
    if (isOwn) this.turns.push(startedAt);
  }

  counts(): AgentCounts {
    const calls = [...this.calls.values()];
    const failed = calls.filter(({ outcome }) => outcome === "error");
    const lastGood = new Map<string, number>();
    for (const { tool, outcome, startedAt } of calls) {
      if (outcome === "ok") lastGood.set(tool, Math.max(startedAt, lastGood.get(tool) ?? startedAt));
    }
    return {
      toolCalls: calls.length,
      failedToolCalls: failed.length,
      unrecoveredToolCalls: failed.filter((failure) => !(lastGood.get(failure.tool)! >= this.knownFrom(failure)))
        .length,
      inferenceCalls: this.inferences,
    };
  }

  /**
   * From when on a call can make good for a failed one: once the model was asked again. Calls that it asks for together run in any
   * order. Where nobody asks a model, the order of the calls is all there is.
   */
  private knownFrom({ startedAt, endedAt }: TalliedCall): number {
    if (this.turns.length === 0) return endedAt;
    return this.turns.find((askedAt) => askedAt > startedAt) ?? Number.POSITIVE_INFINITY;
  }
}
