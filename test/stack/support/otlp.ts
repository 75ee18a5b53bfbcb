/** OTLP/JSON, as the tracers' exporters send it and the Collector's file exporter writes it. */

export type Value = string | number | boolean | null | readonly Value[] | { readonly [key: string]: Value };

/** A span, with its scope, as a test asks about it. */
export interface Span {
  readonly resource: Attributes;
  readonly scope: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly status: "UNSET" | "OK" | "ERROR";
  readonly description: string;
  readonly attributes: Attributes;
}

export type Attributes = Readonly<Record<string, Value>>;

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
    readonly resource?: { readonly attributes?: readonly KeyValue[] };
    readonly scopeSpans: readonly { readonly scope?: { readonly name?: string }; readonly spans: readonly RawSpan[] }[];
  }[];
}

/** Sends a request to an OTLP/HTTP receiver, which must take it. */
export async function sendTraces(endpoint: string, request: TraceRequest): Promise<void> {
  const response = await fetch(`${endpoint}/v1/traces`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(request),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
}

/** The lines of a text that are whole and not empty. */
export function linesOf(text: string): readonly string[] {
  return text
    .split("\n")
    .slice(0, -1) // what follows the last line break: nothing, or a line that is being written
    .filter((line) => line.trim() !== "");
}

export function spansOf(request: TraceRequest): readonly Span[] {
  return request.resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap((scope) =>
      scope.spans.map(({ name, traceId, spanId, status, attributes }) => ({
        resource: attributesOf(resource?.attributes),
        scope: scope.scope?.name ?? "",
        name,
        traceId,
        spanId,
        status: STATUSES[status?.code ?? 0] ?? "UNSET",
        description: status?.message ?? "",
        attributes: attributesOf(attributes),
      })),
    ),
  );
}

const STATUSES = ["UNSET", "OK", "ERROR"] as const;

function attributesOf(attributes: readonly KeyValue[] = []): Attributes {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)]));
}

function plain(value: AnyValue): Value {
  if (value.arrayValue) return (value.arrayValue.values ?? []).map(plain);
  if (value.kvlistValue) {
    return attributesOf(value.kvlistValue.values);
  }
  if (value.intValue !== undefined) return Number(value.intValue);
  return value.stringValue ?? value.boolValue ?? value.doubleValue ?? null;
}
