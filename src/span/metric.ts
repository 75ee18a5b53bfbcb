import type { Attributes, Context, Histogram, MeterProvider } from "@opentelemetry/api";
import { metrics, ValueType } from "@opentelemetry/api";
import { SCOPE_NAME, SCOPE_VERSION } from "../version.ts";
import { DURATION_BUCKETS, METRIC_EXECUTE_TOOL_DURATION } from "./conventions.ts";

const histograms = new WeakMap<MeterProvider, Histogram>();

/**
 * One count and one duration for each run, through the metrics API, so that counts stay exact when traces are sampled.
 * The global provider is no proxy in API 1.9, so it is looked up each time.
 *
 * @param seconds the run's duration
 */
export function recordDuration(
  provider: MeterProvider | undefined,
  seconds: number,
  attributes: Attributes,
  context: Context,
): void {
  durationHistogram(provider ?? metrics.getMeterProvider()).record(seconds, attributes, context);
}

function durationHistogram(provider: MeterProvider): Histogram {
  let histogram = histograms.get(provider);
  if (!histogram) {
    histogram = provider.getMeter(SCOPE_NAME, SCOPE_VERSION).createHistogram(METRIC_EXECUTE_TOOL_DURATION, {
      description: "Duration of a tool execution",
      unit: "s",
      valueType: ValueType.DOUBLE,
      advice: { explicitBucketBoundaries: DURATION_BUCKETS },
    });
    histograms.set(provider, histogram);
  }
  return histogram;
}
