import type { ReceivedSpan } from "../receiver/receiver.ts";
import { optionalText } from "./tool-run.ts";

/** What the demo reads of one `invoke_agent` span. */
export interface AgentRun {
  /** Nothing where the graph has no name. */
  readonly agent: string | undefined;
  /** Where the invocation was stopped or failed. */
  readonly outcome: string | undefined;
  readonly toolCalls: number;
  readonly failedToolCalls: number;
  /** Failed calls after which no later call of the same tool came back well. */
  readonly unrecoveredToolCalls: number;
}

/** The agents' spans, by span id. */
export function readAgentRuns(spans: readonly ReceivedSpan[]): ReadonlyMap<string, AgentRun> {
  const drawn = spans.filter(({ attributes }) => attributes["gen_ai.operation.name"] === "invoke_agent");
  return new Map(drawn.map((span) => [span.spanId, agentRun(span)]));
}

function agentRun({ attributes }: ReceivedSpan): AgentRun {
  return {
    agent: optionalText(attributes["gen_ai.agent.name"]),
    outcome: optionalText(attributes["toolspan.outcome"]),
    toolCalls: Number(attributes["toolspan.tool_calls"]),
    failedToolCalls: Number(attributes["toolspan.failed_tool_calls"]),
    unrecoveredToolCalls: Number(attributes["toolspan.unrecovered_tool_calls"]),
  };
}
