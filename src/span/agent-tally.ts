import type { RunKey, ToolCall } from "../core/call.ts";
import type { OutcomeKind } from "../core/outcome.ts";

/** One call as the model will see it: its last run's outcome, or what its answer was turned into. */
interface TalliedCall {
  readonly tool: string;
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
  private inferences = 0;

  noteRun({ key, callId, attempt }: ToolCall, call: TalliedCall): void {
    // Only runs of a call with an id are known to be later ones.
    const first = (attempt !== undefined && this.firstRuns.get(callId)) || key;
    this.firstRuns.set(callId, first);
    const earlier = this.calls.get(first);
    this.calls.set(first, earlier ? { ...call, startedAt: Math.min(earlier.startedAt, call.startedAt) } : call);
  }

  noteInference(): void {
    this.inferences++;
  }

  counts(): AgentCounts {
    const calls = [...this.calls.values()];
    const failed = calls.filter(({ outcome }) => outcome === "error");
    const isRecovered = (failure: TalliedCall): boolean =>
      calls.some(
        ({ tool, outcome, startedAt }) => tool === failure.tool && outcome === "ok" && startedAt >= failure.endedAt,
      );
    return {
      toolCalls: calls.length,
      failedToolCalls: failed.length,
      unrecoveredToolCalls: failed.filter((failure) => !isRecovered(failure)).length,
      inferenceCalls: this.inferences,
    };
  }
}
