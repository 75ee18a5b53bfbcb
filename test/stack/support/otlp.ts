/** OTLP/JSON, as the tracers' exporters send it and the Collector's file exporter writes it. */

export type Value = string | number | boolean | null | readonly Value[] | { readonly [key: string]: Value };

/** A span, with its scope, as a test asks about it. */
export interface Span {
  readonly scope: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly status: "UNSET" | "OK" | "ERROR";
  readonly description: string;
  readonly attributes: Readonly<Record<string, Value>>;
}

interface AnyValue {
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly intValue?: string | number;
  readonly doubleValue?: number;
  readonly arrayValue?: { readonly values?: readonly AnyValue[] };
  readonly kvlistValue?: { readonly values?: readonly KeyValue[] };
}

interface KeyValue {
  readonly key: string;
  readonly value: AnyValue;
}

interface RawSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly status?: { readonly code?: number; readonly message?: string };
  readonly attributes?: readonly KeyValue[];
}

/** A request of OTLP's trace service, whole. */
export interface TraceRequest {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly scope?: { readonly name?: string }; readonly spans: readonly RawSpan[] }[];
  }[];
}

/** Sends one request line to an OTLP/HTTP receiver, which must take it. */
export async function sendTraces(endpoint: string, body: string): Promise<void> {
  const response = await fetch(`${endpoint}/v1/traces`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
}

/** The spans of request lines, in their order. */
export function readSpans(lines: string): readonly Span[] {
  return lines
    .split("\n")
    .filter((line) => line.trim() !== "")
    .flatMap((line) => spansOf(JSON.parse(line) as TraceRequest));
}

export function spansOf(request: TraceRequest): readonly Span[] {
  return request.resourceSpans.flatMap((resource) =>
    resource.scopeSpans.flatMap((scope) =>
      scope.spans.map(({ name, traceId, spanId, status, attributes = [] }) => ({
        scope: scope.scope?.name ?? "",
        name,
        traceId,
        spanId,
        status: STATUSES[status?.code ?? 0] ?? "UNSET",
        description: status?.message ?? "",
        attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)])),
      })),
    ),
  );
}

const STATUSES = ["UNSET", "OK", "ERROR"] as const;

function plain(value: AnyValue): Value {
  if (value.arrayValue) return (value.arrayValue.values ?? []).map(plain);
  if (value.kvlistValue) {
    return Object.fromEntries((value.kvlistValue.values ?? []).map((entry) => [entry.key, plain(entry.value)]));
  }
  if (value.intValue !== undefined) return Number(value.intValue);
  return value.stringValue ?? value.boolValue ?? value.doubleValue ?? null;
}
