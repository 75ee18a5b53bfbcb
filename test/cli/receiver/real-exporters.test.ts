import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags, ValueType } from "@opentelemetry/api";
import { OTLPMetricExporter as JsonMetrics } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPMetricExporter as ProtoMetrics } from "@opentelemetry/exporter-metrics-otlp-proto";
import { OTLPTraceExporter as JsonTraces } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtoTraces } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import type { PushMetricExporter } from "@opentelemetry/sdk-metrics";
import { AggregationType, MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import type { SpanExporter } from "@opentelemetry/sdk-trace-node";
import { NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ReceivedPoint, Receiver } from "../../../src/cli/receiver/receiver.ts";
import { startReceiver } from "../../../src/cli/receiver/receiver.ts";

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());
beforeEach(() => receiver.clear());

/** The exporters' option is a const enum, which erases to this. */
const gzip = "gzip" as never;
const url = (path: string): string => `${receiver.endpoint}${path}`;

const tracers: readonly (readonly [string, () => SpanExporter])[] = [
  ["JSON", () => new JsonTraces({ url: url("/v1/traces") })],
  ["JSON, gzip", () => new JsonTraces({ url: url("/v1/traces"), compression: gzip })],
  ["protobuf", () => new ProtoTraces({ url: url("/v1/traces") })],
  ["protobuf, gzip", () => new ProtoTraces({ url: url("/v1/traces"), compression: gzip })],
];

describe.each(tracers)("spans of the real exporter, %s", (_, exporter) => {
  it("arrive whole", async () => {
    const linked = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331", traceFlags: 1 };
    const parent = { ...linked, spanId: "00f067aa0ba902b7", traceFlags: TraceFlags.SAMPLED, isRemote: true };
    const provider = new NodeTracerProvider({
      resource: resourceFromAttributes({ "service.name": "shop" }),
      spanProcessors: [new SimpleSpanProcessor(exporter())],
    });
    const span = provider.getTracer("scope", "1.2.3").startSpan(
      "execute_tool search",
      {
        kind: SpanKind.CLIENT,
        startTime: [1_700_000_000, 123_456_789],
        links: [{ context: linked, attributes: { why: "retry" } }],
        attributes: {
          text: "ä",
          whole: -3,
          half: 0.5,
          yes: true,
          no: false,
          zero: 0,
          empty: "",
          list: ["a", "b"],
          big: 2 ** 60,
        },
      },
      trace.setSpanContext(ROOT_CONTEXT, parent),
    );
    span.addEvent("exception", { "exception.type": "Error" }, [1_700_000_001, 5]);
    span.setStatus({ code: SpanStatusCode.ERROR, message: "no route" });
    span.end([1_700_000_002, 0]);
    await provider.shutdown();

    expect(receiver.spans).toEqual([
      {
        traceId: parent.traceId,
        spanId: span.spanContext().spanId,
        parentSpanId: parent.spanId,
        name: "execute_tool search",
        kind: 3,
        startTimeUnixNano: 1_700_000_000_123_456_789n,
        endTimeUnixNano: 1_700_000_002_000_000_000n,
        attributes: {
          text: "ä",
          whole: -3,
          half: 0.5,
          yes: true,
          no: false,
          zero: 0,
          empty: "",
          list: ["a", "b"],
          big: expect.toSatisfy((big: unknown) => Number(big) === 2 ** 60),
        },
        status: { code: 2, message: "no route" },
        events: [
          { name: "exception", timeUnixNano: 1_700_000_001_000_000_005n, attributes: { "exception.type": "Error" } },
        ],
        links: [{ traceId: linked.traceId, spanId: linked.spanId, attributes: { why: "retry" } }],
        scope: { name: "scope", version: "1.2.3" },
        resource: { "service.name": "shop" },
      },
    ]);
  });

  it("have no parent and no status when they have none", async () => {
    const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter())] });
    provider.getTracer("scope").startSpan("root").end();
    await provider.shutdown();
    const [span] = receiver.spans;
    expect(span).toMatchObject({ parentSpanId: undefined, kind: 1, status: { code: 0, message: "" }, links: [] });
  });
});

function point(metric: string): ReceivedPoint {
  const found = receiver.points.filter((one) => one.metric === metric);
  expect(found).toHaveLength(1);
  return found[0]!;
}

const meters: readonly (readonly [string, () => PushMetricExporter])[] = [
  ["JSON", () => new JsonMetrics({ url: url("/v1/metrics") })],
  ["JSON, gzip", () => new JsonMetrics({ url: url("/v1/metrics"), compression: gzip })],
  ["protobuf", () => new ProtoMetrics({ url: url("/v1/metrics") })],
  ["protobuf, gzip", () => new ProtoMetrics({ url: url("/v1/metrics"), compression: gzip })],
];

describe.each(meters)("points of the real exporter, %s", (_, exporter) => {
  it("arrive with their values, buckets and labels", async () => {
    const provider = new MeterProvider({
      resource: resourceFromAttributes({ "service.name": "shop" }),
      readers: [new PeriodicExportingMetricReader({ exporter: exporter(), exportIntervalMillis: 2 ** 30 })],
      views: [{ instrumentName: "fine", aggregation: { type: AggregationType.EXPONENTIAL_HISTOGRAM } }],
    });
    const meter = provider.getMeter("scope", "1.2.3");
    meter.createCounter("calls", { valueType: ValueType.INT }).add(3, { tool: "search" });
    meter.createUpDownCounter("open").add(-2);
    meter.createCounter("none").add(0);
    meter.createGauge("load", { unit: "1" }).record(0.25);
    const seconds = meter.createHistogram("seconds", { unit: "s", advice: { explicitBucketBoundaries: [1, 2] } });
    for (const second of [0.5, 1.5, 1.5, 9]) seconds.record(second, { "error.type": "timeout" });
    const fine = meter.createHistogram("fine");
    for (const second of [0, 1.5, 3, 12]) fine.record(second);
    await provider.shutdown();

    expect(point("calls")).toMatchObject({
      kind: "sum",
      temporality: "cumulative",
      value: 3,
      attributes: { tool: "search" },
      resource: { "service.name": "shop" },
      scope: { name: "scope", version: "1.2.3" },
    });
    expect(point("open")).toMatchObject({ kind: "sum", value: -2 });
    expect(point("none")).toMatchObject({ kind: "sum", value: 0 });
    expect(point("load")).toMatchObject({ kind: "gauge", temporality: undefined, unit: "1", value: 0.25 });
    expect(point("seconds")).toMatchObject({
      kind: "histogram",
      unit: "s",
      attributes: { "error.type": "timeout" },
      count: 4,
      sum: 12.5,
      bounds: [1, 2],
      bucketCounts: [1, 2, 1],
    });
    expect(point("seconds").timeUnixNano).toBeGreaterThanOrEqual(point("seconds").startTimeUnixNano);
    const { kind, count, sum, bounds, bucketCounts } = point("fine");
    expect({ kind, count, sum }).toEqual({ kind: "exponentialHistogram", count: 4, sum: 16.5 });
    expect(bucketCounts).toHaveLength(bounds!.length + 1);
    expect(bucketCounts!.reduce((all, one) => all + one)).toBe(4);
    for (const second of [1.5, 3, 12]) {
      const bucket = bounds!.findIndex((bound) => second <= bound);
      expect(bucketCounts![bucket]).toBe(1);
      expect(bounds![bucket - 1]).toBeLessThan(second);
    }
  });
});
