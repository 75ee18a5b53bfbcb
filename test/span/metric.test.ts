import { context, metrics, trace } from "@opentelemetry/api";
import { DataPointType } from "@opentelemetry/sdk-metrics";
import { AlwaysOffSampler } from "@opentelemetry/sdk-trace-node";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { createRecorder } from "../../src/index.ts";
import { createAdapterRecorder } from "../../src/span/recorder.ts";
import { said } from "../support/said.ts";
import { shownMeter } from "../support/shown-meter.ts";
import { traced, useContextManager } from "../support/traced.ts";
import { watched } from "../support/watched.ts";

beforeAll(useContextManager);
said();

const DOUBLING = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6];
const CALLS = [1, 2, 3, 5, 8, 13, 21, 34, 55, 89];

it("each histogram has the convention's name, unit and buckets, in our scope", async () => {
  const { tracerProvider, meterProvider, metrics: counted } = traced();
  const recorder = createAdapterRecorder({ tracerProvider, meterProvider });
  recorder.onParentStart({ key: "a", drawing: { kind: "agent" } });
  recorder.run({ name: "t", parentKey: "a" }, () => 7);
  recorder.onParentEnd("a");
  const [ours, ...others] = await counted();
  expect(others).toEqual([]);
  expect(ours!.scope).toMatchObject({ name: "toolspan", version: "0.1.0" });
  const found = ours!.metrics.map(({ descriptor: { name, unit, description }, ...metric }) => {
    const boundaries =
      metric.dataPointType === DataPointType.HISTOGRAM && metric.dataPoints[0]!.value.buckets.boundaries;
    return [name, unit, description, boundaries];
  });
  expect(found).toEqual([
    [
      "gen_ai.execute_tool.duration",
      "s",
      "Duration of a tool execution",
      [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92],
    ],
    ["gen_ai.invoke_agent.duration", "s", "Duration of an agent's invocation", DOUBLING],
    ["gen_ai.invoke_agent.tool_calls", "{call}", "Tool calls in one invocation of an agent", CALLS],
    ["gen_ai.invoke_agent.inference_calls", "{call}", "Model calls in one invocation of an agent", CALLS],
  ]);
});

describe("the duration's histogram", () => {
  it("is made once a provider", () => {
    const { meterProvider, points, histograms } = shownMeter();
    const { recorder } = watched({ meterProvider });
    for (const name of ["t", "u"]) recorder.run({ name }, () => 7);
    expect([points.length, histograms()]).toEqual([2, 1]);
  });

  it("has no label without a value, and the tool's type", () => {
    const { meterProvider, points } = shownMeter();
    const { recorder } = watched({ meterProvider });
    recorder.run({ name: "t" }, () => 7);
    recorder.run({ name: "u", type: "datastore", agentName: "desk" }, () => 7);
    expect(points.map(({ attributes }) => attributes)).toStrictEqual([
      { "gen_ai.tool.name": "t", "gen_ai.tool.type": "function", "toolspan.outcome": "ok" },
      {
        "gen_ai.tool.name": "u",
        "gen_ai.tool.type": "datastore",
        "gen_ai.agent.name": "desk",
        "toolspan.outcome": "ok",
      },
    ]);
  });
});

describe("the context of a point, from which exemplars are made", () => {
  it("holds the run's own span where it is sampled", () => {
    const { meterProvider, points } = shownMeter();
    const { recorder, onlySpan } = watched({ meterProvider });
    recorder.run({ name: "t" }, () => 7);
    expect(trace.getSpan(points[0]!.context)?.spanContext()).toEqual(onlySpan().spanContext());
  });

  it("else that which the run was started in", () => {
    const { meterProvider, points } = shownMeter();
    const { recorder } = watched({ meterProvider }, traced({ sampler: new AlwaysOffSampler() }));
    const app = traced().tracerProvider.getTracer("app").startSpan("app");
    context.with(trace.setSpan(context.active(), app), () => recorder.run({ name: "t" }, () => 7));
    expect(trace.getSpan(points[0]!.context)).toBe(app);
  });
});

describe("metrics alone, with no provider for traces", () => {
  afterEach(() => metrics.disable());

  it("given", async () => {
    const { meterProvider, counts } = traced();
    createRecorder({ meterProvider }).run({ name: "t" }, () => 7);
    expect((await counts()).map(({ count }) => count)).toEqual([1]);
  });

  it("global", async () => {
    const { meterProvider, counts } = traced();
    metrics.setGlobalMeterProvider(meterProvider);
    createRecorder().run({ name: "t" }, () => 7);
    expect((await counts()).map(({ count }) => count)).toEqual([1]);
  });
});
