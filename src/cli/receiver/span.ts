import type { ReceivedScope } from "./attribute.ts";
import { attributesOf, resourceOf, scopeOf } from "./attribute.ts";
import type { Message } from "./field.ts";
import { enumField, idField, integerField, messageField, messagesField, requiredId, textField } from "./field.ts";

type Attributes = Readonly<Record<string, unknown>>;

/** A span as it came, its attribute values as plain JavaScript. */
export interface ReceivedSpan {
  /** 32 hex digits, lower case. */
  readonly traceId: string;
  /** 16 hex digits, lower case. */
  readonly spanId: string;
  /** Nothing for a root. */
  readonly parentSpanId: string | undefined;
  readonly name: string;
  /** OTLP's `SpanKind`: 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number;
  readonly startTimeUnixNano: bigint;
  readonly endTimeUnixNano: bigint;
  readonly attributes: Attributes;
  /** 0 unset, 1 ok, 2 error. */
  readonly status: { readonly code: 0 | 1 | 2; readonly message: string };
  readonly events: readonly {
    readonly name: string;
    readonly timeUnixNano: bigint;
    readonly attributes: Attributes;
  }[];
  readonly links: readonly { readonly traceId: string; readonly spanId: string; readonly attributes: Attributes }[];
  readonly scope: ReceivedScope;
  readonly resource: Attributes;
}

const SPAN_KINDS = ["UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"].map(
  (name) => `SPAN_KIND_${name}`,
);
const STATUS_CODES = ["STATUS_CODE_UNSET", "STATUS_CODE_OK", "STATUS_CODE_ERROR"];

/** The spans of an `ExportTraceServiceRequest`. */
export function spansOf(request: Message): readonly ReceivedSpan[] {
  return messagesField(request, "resourceSpans").flatMap((ofResource) => {
    const resource = resourceOf(ofResource);
    return messagesField(ofResource, "scopeSpans").flatMap((ofScope) => {
      const scope = scopeOf(ofScope);
      return messagesField(ofScope, "spans").map((span) => receivedSpan(span, scope, resource));
    });
  });
}

function receivedSpan(span: Message, scope: ReceivedScope, resource: Attributes): ReceivedSpan {
  const status = messageField(span, "status");
  return {
    traceId: requiredId(span, "traceId", 16),
    spanId: requiredId(span, "spanId", 8),
    parentSpanId: idField(span, "parentSpanId", 8) || undefined,
    name: textField(span, "name"),
    kind: enumField(span, "kind", SPAN_KINDS),
    startTimeUnixNano: integerField(span, "startTimeUnixNano"),
    endTimeUnixNano: integerField(span, "endTimeUnixNano"),
    attributes: attributesOf(span),
    status: { code: statusCode(status), message: textField(status, "message") },
    events: messagesField(span, "events").map((event) => ({
      name: textField(event, "name"),
      timeUnixNano: integerField(event, "timeUnixNano"),
      attributes: attributesOf(event),
    })),
    links: messagesField(span, "links").map((link) => ({
      traceId: idField(link, "traceId", 16),
      spanId: idField(link, "spanId", 8),
      attributes: attributesOf(link),
    })),
    scope,
    resource,
  };
}

/** A code that OTLP does not have says nothing, so it is unset. */
function statusCode(status: Message): 0 | 1 | 2 {
  const code = enumField(status, "code", STATUS_CODES);
  return code === 1 || code === 2 ? code : 0;
}
