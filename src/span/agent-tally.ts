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
  private readonly calls: TalliedCall[] = [];
  /** The call that had this id last, by its place. */
  private readonly lastOf = new Map<string | undefined, number>();
  /** When the agent's own model was asked, in that order. */
  private readonly turns: number[] = [];
  private inferences = 0;

  noteRun(callId: string | undefined, call: TalliedCall): void {
    const at = this.lastOf.get(callId);
    const earlier = this.calls[at!];
    if (earlier && this.isOfOneCall(earlier, call)) {
      this.calls[at!] = { ...call, startedAt: earlier.startedAt };
      return;
    }
    if (callId) this.lastOf.set(callId, this.calls.length);
    this.calls.push(call);
  }

  /** Models give one id to several calls: to some they ask for together, which overlap, and again in a later turn. */
  private isOfOneCall(earlier: TalliedCall, { startedAt }: TalliedCall): boolean {
    return earlier.endedAt <= startedAt && !this.isAskedBetween(earlier.startedAt, startedAt);
  }

  /** @param isOwn a model that a tool asks is no turn of the agent's */
  noteInference(startedAt: number, isOwn: boolean): void {
    this.inferences++;
    if (isOwn) this.turns.push(startedAt);
  }

  counts(): AgentCounts {
    const { calls } = this;
    const failed = calls.filter(({ outcome }) => outcome === "error");
    const lastGood = new Map<string, number>();
    for (const { tool, outcome, startedAt } of calls) {
      if (outcome === "ok") lastGood.set(tool, Math.max(startedAt, lastGood.get(tool) ?? startedAt));
    }
    return {
      toolCalls: calls.length,
      failedToolCalls: failed.length,
      unrecoveredToolCalls: failed.filter((failure) => !this.isMadeGood(failure, lastGood.get(failure.tool)!)).length,
      inferenceCalls: this.inferences,
    };
  }

  /**
   * By a call of the tool that the model asked for when it could know of the failure: those that it asks for together run in
   * any order. Where nobody asks a model, the order of the calls is all there is.
   */
  private isMadeGood({ startedAt, endedAt }: TalliedCall, goodAt: number): boolean {
    return this.turns.length === 0 ? goodAt >= endedAt : this.isAskedBetween(startedAt, goodAt);
  }

  private isAskedBetween(from: number, to: number): boolean {
    return this.turns.some((askedAt) => askedAt > from && askedAt <= to);
  }
}
