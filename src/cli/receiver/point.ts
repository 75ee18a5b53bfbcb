import type { ReceivedScope } from "./attribute.ts";
import { attributesOf, resourceOf, scopeOf } from "./attribute.ts";
import type { Buckets } from "./bucket.ts";
import { explicitBuckets, exponentialBuckets } from "./bucket.ts";
import type { Message } from "./field.ts";
import {
  asInteger,
  enumField,
  field,
  integerField,
  messageField,
  messagesField,
  optionalNumber,
  textField,
} from "./field.ts";

type Attributes = Readonly<Record<string, unknown>>;

/** A metric's data point as it came. */
export interface ReceivedPoint extends Partial<Buckets> {
  /** The metric's name. */
  readonly metric: string;
  readonly unit: string;
  readonly kind: (typeof KINDS)[number];
  /** Nothing for gauges and summaries. */
  readonly temporality: "cumulative" | "delta" | undefined;
  readonly attributes: Attributes;
  readonly resource: Attributes;
  readonly scope: ReceivedScope;
  readonly startTimeUnixNano: bigint;
  readonly timeUnixNano: bigint;
  /** Of a gauge or a sum. */
  readonly value?: number;
  /** Of a histogram or a summary. */
  readonly count?: number;
  /** Of a histogram or a summary, where the sender gave one. */
  readonly sum?: number;
}

const KINDS = ["gauge", "sum", "histogram", "exponentialHistogram", "summary"] as const;
const TEMPORALITIES = ["UNSPECIFIED", "DELTA", "CUMULATIVE"].map((name) => `AGGREGATION_TEMPORALITY_${name}`);

/** The points of an `ExportMetricsServiceRequest`. */
export function pointsOf(request: Message): readonly ReceivedPoint[] {
  return messagesField(request, "resourceMetrics").flatMap((ofResource) => {
    const resource = resourceOf(ofResource);
    return messagesField(ofResource, "scopeMetrics").flatMap((ofScope) => {
      const scope = scopeOf(ofScope);
      return messagesField(ofScope, "metrics").flatMap((metric) => metricPoints(metric, scope, resource));
    });
  });
}

function metricPoints(metric: Message, scope: ReceivedScope, resource: Attributes): readonly ReceivedPoint[] {
  return KINDS.filter((kind) => field(metric, kind) !== undefined).flatMap((kind) => {
    const data = messageField(metric, kind);
    return messagesField(data, "dataPoints").map((point) => ({
      metric: textField(metric, "name"),
      unit: textField(metric, "unit"),
      kind,
      temporality: temporalityOf(data),
      attributes: attributesOf(point),
      resource,
      scope,
      startTimeUnixNano: integerField(point, "startTimeUnixNano"),
      timeUnixNano: integerField(point, "timeUnixNano"),
      ...measured(kind, point),
    }));
  });
}

function temporalityOf(data: Message): ReceivedPoint["temporality"] {
  return ([undefined, "delta", "cumulative"] as const)[enumField(data, "aggregationTemporality", TEMPORALITIES)];
}

function measured(kind: ReceivedPoint["kind"], point: Message): Pick<ReceivedPoint, "value" | "count" | "sum"> {
  if (kind === "gauge" || kind === "sum") return numberValue(point);
  const sum = optionalNumber(point, "sum");
  const counted = { count: Number(integerField(point, "count")), ...(sum === undefined ? {} : { sum }) };
  if (kind === "summary") return counted;
  return { ...counted, ...(kind === "histogram" ? explicitBuckets(point) : exponentialBuckets(point)) };
}

function numberValue(point: Message): { readonly value?: number } {
  const integer = field(point, "asInt");
  const value = integer === undefined ? optionalNumber(point, "asDouble") : Number(asInteger(integer, "asInt"));
  return value === undefined ? {} : { value };
}
