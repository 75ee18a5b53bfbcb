import type { Attributes } from "@opentelemetry/api";
import { context, SpanStatusCode } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import type { MetricReader, ScopeMetrics } from "@opentelemetry/sdk-metrics";
import {
  AggregationTemporality,
  DataPointType,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import type { ReadableSpan, Sampler, SpanProcessor } from "@opentelemetry/sdk-trace-node";
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";
import { expect } from "vitest";

/** Labels of one point of a histogram, how many values were recorded under them, and their sum. */
export interface Point {
  readonly attributes: Attributes;
  readonly count: number;
  readonly sum: number;
}

/** Providers of their own for one test: no globals, nothing to reset. */
export interface Traced {
  readonly tracerProvider: NodeTracerProvider;
  readonly meterProvider: MeterProvider;
  /** Span ids in the order in which the spans started. */
  readonly started: readonly string[];
  /** Finished spans, in the order they ended, without those of agents and model calls. */
  spans(): readonly ReadableSpan[];
  /** All of them. */
  allSpans(): readonly ReadableSpan[];
  /** The only finished span there is. */
  onlySpan(): ReadableSpan;
  /** All that was counted so far. */
  metrics(): Promise<readonly ScopeMetrics[]>;
  /** Points of the histogram of this name. */
  points(metric: string): Promise<readonly Point[]>;
  /** Points of `gen_ai.execute_tool.duration`: how many runs were counted under which labels. */
  counts(): Promise<readonly Point[]>;
  /** Runs counted as failed. */
  failures(): Promise<number>;
}

export function traced(options: { readonly sampler?: Sampler } = {}): Traced {
  const exporter = new InMemorySpanExporter();
  const started: string[] = [];
  const tracerProvider = new NodeTracerProvider({
    ...options,
    spanProcessors: [new SimpleSpanProcessor(exporter), startOrder(started)],
  });
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader: MetricReader = new PeriodicExportingMetricReader({
    exporter: metricExporter,
    exportIntervalMillis: 2 ** 30,
  });
  const meterProvider = new MeterProvider({ readers: [reader] });
  const isDrawnAround = ({ attributes }: ReadableSpan): boolean =>
    ["invoke_agent", "chat"].includes(String(attributes["gen_ai.operation.name"]));
  const spans = (): readonly ReadableSpan[] => exporter.getFinishedSpans().filter((span) => !isDrawnAround(span));
  const metrics: Traced["metrics"] = async () => {
    await reader.forceFlush();
    return metricExporter.getMetrics().at(-1)?.scopeMetrics ?? [];
  };
  const points: Traced["points"] = async (name) =>
    (await metrics())
      .flatMap((scope) => scope.metrics)
      .filter((metric) => metric.descriptor.name === name)
      .flatMap((metric) => (metric.dataPointType === DataPointType.HISTOGRAM ? metric.dataPoints : []))
      .map((point) => ({ attributes: point.attributes, count: point.value.count, sum: point.value.sum ?? 0 }));
  const counts = () => points("gen_ai.execute_tool.duration");
  return {
    tracerProvider,
    meterProvider,
    started,
    spans,
    allSpans: () => exporter.getFinishedSpans(),
    onlySpan() {
      const [span, ...rest] = spans();
      expect(rest.map((other) => other.name)).toEqual([]);
      return span!;
    },
    metrics,
    points,
    counts,
    failures: async () =>
      (await counts())
        .filter(({ attributes }) => "error.type" in attributes)
        .reduce((sum, { count }) => sum + count, 0),
  };
}

async function nothing(): Promise<void> {}

function startOrder(started: string[]): SpanProcessor {
  return {
    onStart: (span) => void started.push(span.spanContext().spanId),
    onEnd() {},
    forceFlush: nothing,
    shutdown: nothing,
  };
}

/** What a test wants to know of a span's verdict, in one value. */
export function verdict(span: ReadableSpan | undefined): { status: string; outcome: unknown; errorType?: unknown } {
  expect(span).toBeDefined();
  const { status, attributes } = span!;
  return {
    status: SpanStatusCode[status.code],
    outcome: attributes["toolspan.outcome"],
    ...("error.type" in attributes ? { errorType: attributes["error.type"] } : {}),
  };
}

export const failed = (errorType: string) => ({ status: "ERROR", outcome: "error", errorType }) as const;
export const succeeded = { status: "UNSET", outcome: "ok" } as const;
export const unfailed = (outcome: string) => ({ status: "UNSET", outcome }) as const;

/** Makes `context.with` work, as an application's SDK does. */
export function useContextManager(): void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
}
