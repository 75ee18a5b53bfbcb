import type { MeterProvider, TracerProvider } from "@opentelemetry/api";
import { metrics } from "@opentelemetry/api";
import type { Activity } from "./activity.ts";
import { batchFrom } from "./batch.ts";
import { numberFrom } from "./environment.ts";
import { exporterConfig } from "./exporter.ts";
import type { Free } from "./registered.ts";
import { inRequests } from "./request-size.ts";
import { resourceOf } from "./resource.ts";
import { samplerFrom } from "./sampler.ts";
import type { Sdk } from "./sdk.ts";
import { spanLimitsFrom } from "./span-limits.ts";
import type { TracingOptions } from "./tracing-options.ts";

/** A provider of ours, registered as the global one. */
export interface Signal<Provider> {
  readonly provider: Provider;
  flush(): Promise<unknown>;
  shutdown(): Promise<unknown>;
}

export interface SetUp {
  readonly sdk: Sdk;
  readonly options: TracingOptions;
  readonly flushTimeoutMs: number;
}

export function createTraces(
  { sdk, options, flushTimeoutMs }: SetUp,
  activity: Activity,
  free: Free,
): Signal<TracerProvider> {
  const { processor, requestSize } = batchFrom(process.env);
  const config = exporterConfig("traces", options, flushTimeoutMs, process.env);
  const exporter = inRequests(new sdk.traceExporter.OTLPTraceExporter(config), requestSize);
  const provider = sdk.traces.createTracerProvider({
    resource: resourceOf(sdk.resources, options.serviceName),
    sampler: activity.watchSampler(samplerFrom(process.env, sdk.traces.samplers)),
    spanLimits: spanLimitsFrom(process.env),
    spanProcessors: [activity.processor, sdk.traces.createBatchSpanProcessor({ exporter, ...processor })],
  });
  sdk.traces.register(provider, free);
  return {
    provider,
    // The processor's flush does not wait for a batch that is under way already; the exporter's does.
    flush: () => provider.forceFlush().finally(() => exporter.forceFlush?.()),
    shutdown: () => provider.shutdown(),
  };
}

/**
 * The interval is the standard's minute: a histogram is cumulative, so nothing is gained by sending it more often, and a
 * flush sends it at the end.
 */
export function createMetrics({ sdk, options, flushTimeoutMs }: SetUp): Signal<MeterProvider> {
  const exportIntervalMillis = numberFrom(process.env, ["OTEL_METRIC_EXPORT_INTERVAL"], 1) ?? 60_000;
  const timeout = numberFrom(process.env, ["OTEL_METRIC_EXPORT_TIMEOUT"], 1) ?? 30_000;
  const reader = new sdk.metrics.PeriodicExportingMetricReader({
    exporter: new sdk.metricExporter.OTLPMetricExporter(
      exporterConfig("metrics", options, flushTimeoutMs, process.env),
    ),
    exportIntervalMillis,
    exportTimeoutMillis: Math.min(timeout, exportIntervalMillis),
  });
  const provider = new sdk.metrics.MeterProvider({
    resource: resourceOf(sdk.resources, options.serviceName),
    readers: [reader],
  });
  metrics.setGlobalMeterProvider(provider);
  return { provider, flush: () => provider.forceFlush(), shutdown: () => provider.shutdown() };
}
