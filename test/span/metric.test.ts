import type { Attributes, Context, MeterProvider } from "@opentelemetry/api";
import { context, metrics, trace } from "@opentelemetry/api";
import {
  AggregationTemporality,
  DataPointType,
  InMemoryMetricExporter,
  MeterProvider as SdkMeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { AlwaysOffSampler } from "@opentelemetry/sdk-trace-node";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { createRecorder } from "../../src/index.ts";
import { said } from "../support/said.ts";
import { traced, useContextManager } from "../support/traced.ts";
import { watched } from "../support/watched.ts";

beforeAll(useContextManager);
said();

/** A meter provider that shows what the metrics API is handed: labels with no value and the context are not exported. */
function shownMeter() {
  const recorded: { attributes: Attributes; context: Context }[] = [];
  let histograms = 0;
  const record = (_seconds: number, attributes: Attributes, given: Context) =>
    recorded.push({ attributes, context: given });
  const createHistogram = () => (histograms++, { record });
  const meterProvider = { getMeter: () => ({ createHistogram }) } as unknown as MeterProvider;
  return { meterProvider, recorded, histograms: () => histograms };
}

describe("the duration's histogram", () => {
  it("has the convention's name, unit and buckets", async () => {
    const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2 ** 30 });
    const { recorder } = watched({ meterProvider: new SdkMeterProvider({ readers: [reader] }) });
    recorder.run({ name: "t" }, () => 7);
    await reader.forceFlush();
    const { scope, metrics: found } = exporter.getMetrics()[0]!.scopeMetrics[0]!;
    expect(scope).toMatchObject({ name: "toolspan", version: "0.1.0" });
    expect(found).toHaveLength(1);
    const [metric] = found;
    expect(metric!.descriptor).toMatchObject({
      name: "gen_ai.execute_tool.duration",
      description: "Duration of a tool execution",
      unit: "s",
    });
    expect(
      metric!.dataPointType === DataPointType.HISTOGRAM && metric!.dataPoints[0]!.value.buckets.boundaries,
    ).toEqual([0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]);
  });

  it("is made once a provider", () => {
    const { meterProvider, recorded, histograms } = shownMeter();
    const { recorder } = watched({ meterProvider });
    for (const name of ["t", "u"]) recorder.run({ name }, () => 7);
    expect([recorded.length, histograms()]).toEqual([2, 1]);
  });

  it("has no label without a value, and the tool's type", () => {
    const { meterProvider, recorded } = shownMeter();
    const { recorder } = watched({ meterProvider });
    recorder.run({ name: "t" }, () => 7);
    recorder.run({ name: "u", type: "datastore", agentName: "desk" }, () => 7);
    expect(recorded.map(({ attributes }) => attributes)).toStrictEqual([
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
    const { meterProvider, recorded } = shownMeter();
    const { recorder, onlySpan } = watched({ meterProvider });
    recorder.run({ name: "t" }, () => 7);
    expect(trace.getSpan(recorded[0]!.context)?.spanContext()).toEqual(onlySpan().spanContext());
  });

  it("else that which the run was started in", () => {
    const { meterProvider, recorded } = shownMeter();
    const { recorder } = watched({ meterProvider }, traced({ sampler: new AlwaysOffSampler() }));
    const app = traced().tracerProvider.getTracer("app").startSpan("app");
    context.with(trace.setSpan(context.active(), app), () => recorder.run({ name: "t" }, () => 7));
    expect(trace.getSpan(recorded[0]!.context)).toBe(app);
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
