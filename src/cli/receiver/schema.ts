import type { INamespace, IType } from "protobufjs/light.js";

/**
 * The fields of a message: type and number on the wire. A name that ends with `[]` is a list's; one that ends with `?` has
 * presence (`optional`, or a member of a oneof): its zero is not the same as its absence. Enums are read as their numbers.
 */
type Fields = Readonly<Record<string, readonly [type: string, id: number]>>;

const MESSAGES: Readonly<Record<string, Fields>> = {
  ExportTraceServiceRequest: { "resourceSpans[]": ["ResourceSpans", 1] },
  ResourceSpans: { resource: ["Resource", 1], "scopeSpans[]": ["ScopeSpans", 2] },
  ScopeSpans: { scope: ["InstrumentationScope", 1], "spans[]": ["Span", 2] },
  Span: {
    traceId: ["bytes", 1],
    spanId: ["bytes", 2],
    traceState: ["string", 3],
    parentSpanId: ["bytes", 4],
    name: ["string", 5],
    kind: ["int32", 6],
    startTimeUnixNano: ["fixed64", 7],
    endTimeUnixNano: ["fixed64", 8],
    "attributes[]": ["KeyValue", 9],
    "events[]": ["Event", 11],
    "links[]": ["Link", 13],
    status: ["Status", 15],
  },
  Event: { timeUnixNano: ["fixed64", 1], name: ["string", 2], "attributes[]": ["KeyValue", 3] },
  Link: { traceId: ["bytes", 1], spanId: ["bytes", 2], "attributes[]": ["KeyValue", 4] },
  Status: { message: ["string", 2], code: ["int32", 3] },

  ExportMetricsServiceRequest: { "resourceMetrics[]": ["ResourceMetrics", 1] },
  ResourceMetrics: { resource: ["Resource", 1], "scopeMetrics[]": ["ScopeMetrics", 2] },
  ScopeMetrics: { scope: ["InstrumentationScope", 1], "metrics[]": ["Metric", 2] },
  Metric: {
    name: ["string", 1],
    description: ["string", 2],
    unit: ["string", 3],
    gauge: ["Gauge", 5],
    sum: ["Sum", 7],
    histogram: ["Histogram", 9],
    exponentialHistogram: ["ExponentialHistogram", 10],
    summary: ["Summary", 11],
  },
  Gauge: { "dataPoints[]": ["NumberDataPoint", 1] },
  Sum: {
    "dataPoints[]": ["NumberDataPoint", 1],
    aggregationTemporality: ["int32", 2],
    isMonotonic: ["bool", 3],
  },
  Histogram: { "dataPoints[]": ["HistogramDataPoint", 1], aggregationTemporality: ["int32", 2] },
  ExponentialHistogram: {
    "dataPoints[]": ["ExponentialHistogramDataPoint", 1],
    aggregationTemporality: ["int32", 2],
  },
  Summary: { "dataPoints[]": ["SummaryDataPoint", 1] },
  NumberDataPoint: {
    startTimeUnixNano: ["fixed64", 2],
    timeUnixNano: ["fixed64", 3],
    "asDouble?": ["double", 4],
    "asInt?": ["sfixed64", 6],
    "attributes[]": ["KeyValue", 7],
  },
  HistogramDataPoint: {
    startTimeUnixNano: ["fixed64", 2],
    timeUnixNano: ["fixed64", 3],
    count: ["fixed64", 4],
    "sum?": ["double", 5],
    "bucketCounts[]": ["fixed64", 6],
    "explicitBounds[]": ["double", 7],
    "attributes[]": ["KeyValue", 9],
  },
  ExponentialHistogramDataPoint: {
    "attributes[]": ["KeyValue", 1],
    startTimeUnixNano: ["fixed64", 2],
    timeUnixNano: ["fixed64", 3],
    count: ["fixed64", 4],
    "sum?": ["double", 5],
    scale: ["sint32", 6],
    zeroCount: ["fixed64", 7],
    positive: ["Buckets", 8],
    negative: ["Buckets", 9],
  },
  Buckets: { offset: ["sint32", 1], "bucketCounts[]": ["uint64", 2] },
  SummaryDataPoint: {
    startTimeUnixNano: ["fixed64", 2],
    timeUnixNano: ["fixed64", 3],
    count: ["fixed64", 4],
    sum: ["double", 5],
    "attributes[]": ["KeyValue", 7],
  },

  // Logs are counted only, so their records need no fields.
  ExportLogsServiceRequest: { "resourceLogs[]": ["ResourceLogs", 1] },
  ResourceLogs: { "scopeLogs[]": ["ScopeLogs", 2] },
  ScopeLogs: { "logRecords[]": ["LogRecord", 2] },
  LogRecord: {},

  Resource: { "attributes[]": ["KeyValue", 1] },
  InstrumentationScope: { name: ["string", 1], version: ["string", 2] },
  KeyValue: { key: ["string", 1], value: ["AnyValue", 2] },
  AnyValue: {
    "stringValue?": ["string", 1],
    "boolValue?": ["bool", 2],
    "intValue?": ["int64", 3],
    "doubleValue?": ["double", 4],
    "arrayValue?": ["ArrayValue", 5],
    "kvlistValue?": ["KeyValueList", 6],
    "bytesValue?": ["bytes", 7],
  },
  ArrayValue: { "values[]": ["AnyValue", 1] },
  KeyValueList: { "values[]": ["KeyValue", 1] },

  /** `google.rpc.Status`, the body of a refusal. */
  RpcStatus: { code: ["int32", 1], message: ["string", 2] },
};

/** The OTLP messages the receiver reads, in protobufjs' JSON form; what is not listed is skipped on the wire. */
export const OTLP: INamespace = {
  nested: Object.fromEntries(Object.entries(MESSAGES).map(([name, fields]) => [name, message(fields)])),
};

function message(fields: Fields): IType {
  const names = Object.keys(fields);
  const withPresence = names.filter((name) => name.endsWith("?")).map(bare);
  return {
    // A oneof of its own gives each of them its presence.
    oneofs: Object.fromEntries(withPresence.map((name) => [`_${name}`, { oneof: [name] }])),
    fields: Object.fromEntries(
      Object.entries(fields).map(([name, [type, id]]) => [
        bare(name),
        { type, id, ...(name.endsWith("[]") ? { rule: "repeated" } : {}) },
      ]),
    ),
  };
}

function bare(name: string): string {
  return name.replace(/\[\]$|\?$/, "");
}
