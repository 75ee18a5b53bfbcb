/** Agents by chance, whose numbers follow from their scripts: spans, agent attributes and metrics agree with them. */
import { AlwaysOffSampler } from "@opentelemetry/sdk-trace-node";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { knownOf, playScript, scriptOf } from "../../../support/generated-agents.ts";
import { unwatch, watched } from "../../../support/judged.ts";
import type { Known } from "../../../support/known-numbers.ts";
import { expectKnown, expectMetrics } from "../../../support/known-numbers.ts";
import { said } from "../../../support/said.ts";
import { traced, useContextManager } from "../../../support/traced.ts";

beforeAll(useContextManager);
afterEach(unwatch);
said();

const seeds = Array.from({ length: 24 }, (_, index) => index + 1);

describe.each(["handler", "both"] as const)("with %s", (mode) => {
  const refused = mode === "handler" ? "error tool_error" : "error invalid_arguments";

  it.each(seeds)("agent %i", async (seed) => {
    const test = watched(mode);
    const script = scriptOf(seed);
    await playScript(script, test.config);
    expect(test.allSpans()).toHaveLength(test.started.length);
    await expectKnown(test, knownOf(script, refused));
  });

  it("all of them at one time, with one handler", async () => {
    const test = watched(mode);
    const scripts = seeds.map(scriptOf);
    await Promise.all(scripts.map((script) => playScript(script, test.config)));
    expect(test.allSpans()).toHaveLength(test.started.length);
    await expectKnown(test, sumOf(scripts.map((script) => knownOf(script, refused))));
  });

  it("the metrics of agents of which no span is sampled", async () => {
    const test = watched(mode, {}, traced({ sampler: new AlwaysOffSampler() }));
    const scripts = seeds.slice(0, 6).map(scriptOf);
    for (const script of scripts) await playScript(script, test.config);
    expect(test.allSpans()).toEqual([]);
    await expectMetrics(test, sumOf(scripts.map((script) => knownOf(script, refused))));
  });
});

it("the agents are no monotonous lot", () => {
  const { runs, agents } = sumOf(seeds.map((seed) => knownOf(scriptOf(seed), "refused")));
  const kinds = [
    "ok",
    "refused",
    "error RangeError",
    "error RangeError recovered",
    "error tool_error",
    "error timeout",
  ];
  expect(Object.keys(runs).toSorted()).toEqual([...kinds, "error unknown_tool"].toSorted());
  for (const count of Object.values(runs)) expect(count).toBeGreaterThan(4);
  const invocations = Object.values(agents).flat();
  expect(invocations.length).toBeGreaterThan(seeds.length + 5);
  const isPartlyRecovered = invocations.filter(
    ({ calls: [, failed, unrecovered] }) => unrecovered > 0 && unrecovered < failed,
  );
  expect(isPartlyRecovered.length).toBeGreaterThan(2);
});

function sumOf(parts: readonly Known[]): Known {
  const runs: Record<string, number> = {};
  for (const [words, count] of parts.flatMap((part) => Object.entries(part.runs)))
    runs[words] = (runs[words] ?? 0) + count;
  return { runs, agents: Object.assign({}, ...parts.map(({ agents }) => agents)) as Known["agents"] };
}
