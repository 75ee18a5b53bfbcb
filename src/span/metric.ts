import type { Attributes, Context, Histogram, MeterProvider, MetricOptions } from "@opentelemetry/api";
import { metrics, ValueType } from "@opentelemetry/api";
import { SCOPE_NAME, SCOPE_VERSION } from "../version.ts";
import * as conventions from "./conventions.ts";

const INSTRUMENTS: Readonly<Record<string, MetricOptions>> = {
  [conventions.METRIC_EXECUTE_TOOL_DURATION]: {
    description: "Duration of a tool execution",
    unit: "s",
    valueType: ValueType.DOUBLE,
    advice: { explicitBucketBoundaries: conventions.DURATION_BUCKETS },
  },
  [conventions.METRIC_INVOKE_AGENT_DURATION]: {
    description: "Duration of an agent's invocation",
    unit: "s",
    valueType: ValueType.DOUBLE,
    advice: { explicitBucketBoundaries: conventions.AGENT_DURATION_BUCKETS },
  },
  [conventions.METRIC_INVOKE_AGENT_TOOL_CALLS]: {
    description: "Tool calls in one invocation of an agent",
    unit: "{call}",
    valueType: ValueType.INT,
    advice: { explicitBucketBoundaries: conventions.CALLS_BUCKETS },
  },
  [conventions.METRIC_INVOKE_AGENT_INFERENCE_CALLS]: {
    description: "Model calls in one invocation of an agent",
    unit: "{call}",
    valueType: ValueType.INT,
    advice: { explicitBucketBoundaries: conventions.CALLS_BUCKETS },
  },
};

const histograms = new WeakMap<MeterProvider, Map<string, Histogram>>();

/**
 * Goes through the metrics API, so that counts stay exact when traces are sampled. The global provider is no proxy in API 1.9,
 * so it is looked up each time.
 */
export function recordMetric(
  name: string,
  provider: MeterProvider = metrics.getMeterProvider(),
  value: number,
  attributes: Attributes,
  context: Context,
): void {
  let own = histograms.get(provider);
  if (!own) histograms.set(provider, (own = new Map()));
  let histogram = own.get(name);
  if (!histogram) {
    histogram = provider.getMeter(SCOPE_NAME, SCOPE_VERSION).createHistogram(name, INSTRUMENTS[name]);
    own.set(name, histogram);
  }
  histogram.record(value, attributes, context);
}
