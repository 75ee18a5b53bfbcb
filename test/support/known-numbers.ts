import type { Attributes } from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace-node";
import { expect } from "vitest";
import type { Traced } from "./traced.ts";

/** What is known beforehand of everything that agents did. */
export interface Known {
  /** Tool spans: how many came to what, as in "ok", "error RangeError", "error RangeError recovered", "denied". */
  readonly runs: Readonly<Record<string, number>>;
  /** Those among them that are answers without a run, which took no time of a tool's. */
  readonly unrun?: Readonly<Record<string, number>>;
  /** Each invocation of an agent, by name. */
  readonly agents: Readonly<Record<string, readonly KnownAgent[]>>;
}

export interface KnownAgent {
  /** Calls that its model asked for, those that failed, and those that no later one made good. */
  readonly calls: readonly [all: number, failed: number, unrecovered: number];
  readonly inferences: number;
  /** @default "UNSET" */
  readonly status?: "UNSET" | "ERROR";
}

/** Spans, the agents' attributes, and the metrics all say the numbers that are known. */
export async function expectKnown(test: Traced, known: Known): Promise<void> {
  expect(tally(test.spans().map(({ attributes }) => wordsOf(attributes)))).toEqual(known.runs);
  expect(agentsIn(test)).toEqual(known.agents);
  await expectMetrics(test, known);
}

/** The metrics alone, which are the same where no span is sampled. */
export async function expectMetrics(test: Traced, { runs, unrun = {}, agents }: Known): Promise<void> {
  const counted: Record<string, number> = {};
  for (const { attributes, count } of await test.counts()) {
    const words = wordsOf(attributes);
    counted[words] = (counted[words] ?? 0) + count;
  }
  const timed = Object.entries(runs).map(([words, count]) => [words, count - (unrun[words] ?? 0)] as const);
  expect(counted).toEqual(Object.fromEntries(timed.filter(([, count]) => count > 0)));
  const invocations = Object.entries(agents).flatMap(([name, each]) => each.map((agent) => [name, agent] as const));
  const totals = (value: (agent: KnownAgent) => number) => {
    const sums: Record<string, readonly [count: number, sum: number]> = {};
    for (const [name, agent] of invocations) {
      const [count, sum] = sums[name] ?? [0, 0];
      sums[name] = [count + 1, sum + value(agent)];
    }
    return sums;
  };
  expect(await sumsOf(test, "gen_ai.invoke_agent.tool_calls")).toEqual(totals(({ calls }) => calls[0]));
  expect(await sumsOf(test, "gen_ai.invoke_agent.inference_calls")).toEqual(totals(({ inferences }) => inferences));
  const durations = await test.points("gen_ai.invoke_agent.duration");
  const failed = durations.filter(({ attributes }) => "error.type" in attributes);
  const count = (points: typeof durations) => points.reduce((sum, point) => sum + point.count, 0);
  expect([count(durations), count(failed)]).toEqual([
    invocations.length,
    invocations.filter(([, { status }]) => status === "ERROR").length,
  ]);
}

function wordsOf(attributes: Attributes): string {
  const { "toolspan.outcome": outcome, "error.type": type, "toolspan.recovered": recovered } = attributes;
  return [outcome, type, recovered && "recovered"].filter(Boolean).join(" ");
}

function tally(words: readonly string[]): Record<string, number> {
  const numbers: Record<string, number> = {};
  for (const word of words) numbers[word] = (numbers[word] ?? 0) + 1;
  return numbers;
}

/** What the agents' spans say; the model calls of each, also those of its tools, are counted by their spans. */
function agentsIn(test: Traced): Record<string, KnownAgent[]> {
  const byId = new Map(test.allSpans().map((span) => [span.spanContext().spanId, span]));
  const isAgent = (span: ReadableSpan) => span.attributes["gen_ai.operation.name"] === "invoke_agent";
  const agentOf = ({ parentSpanContext }: ReadableSpan): ReadableSpan | undefined => {
    const parent = byId.get(parentSpanContext?.spanId ?? "");
    return !parent || isAgent(parent) ? parent : agentOf(parent);
  };
  const agents: Record<string, KnownAgent[]> = {};
  for (const agent of test.allSpans().filter(isAgent)) {
    const { attributes, status } = agent;
    const calls = ["tool_calls", "failed_tool_calls", "unrecovered_tool_calls"].map((name) =>
      Number(attributes[`toolspan.${name}`]),
    ) as [number, number, number];
    (agents[String(attributes["gen_ai.agent.name"])] ??= []).push({
      calls,
      inferences: test
        .allSpans()
        .filter((span) => span.attributes["gen_ai.operation.name"] === "chat" && agentOf(span) === agent).length,
      ...(status.code === 2 && { status: "ERROR" as const }),
    });
  }
  return agents;
}

async function sumsOf(test: Traced, metric: string): Promise<Record<string, readonly [number, number]>> {
  const sums: Record<string, readonly [number, number]> = {};
  for (const { attributes, count, sum } of await test.points(metric)) {
    const name = String(attributes["gen_ai.agent.name"]);
    const [before, total] = sums[name] ?? [0, 0];
    sums[name] = [before + count, total + sum];
  }
  return sums;
}
