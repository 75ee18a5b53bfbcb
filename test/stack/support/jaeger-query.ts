/** What a user asks Jaeger, by the API that its own pages use. */

export interface JaegerSpan {
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly tags: Readonly<Record<string, unknown>>;
}

interface Answer {
  readonly data:
    | readonly {
        readonly traceID: string;
        readonly spans: readonly {
          readonly spanID: string;
          readonly operationName: string;
          readonly references: readonly {
            readonly refType: string;
            readonly spanID: string;
            readonly traceID: string;
          }[];
          readonly tags: readonly { readonly key: string; readonly value: unknown }[];
        }[];
      }[]
    | null;
}

/** A service's traces by id, with all their spans; those in which a span has all these tags. */
export async function searchTraces(
  jaeger: string,
  service: string,
  tags: Readonly<Record<string, string>> = {},
): Promise<ReadonlyMap<string, readonly JaegerSpan[]>> {
  const query = new URLSearchParams({ service, tags: JSON.stringify(tags), limit: "200", lookback: "1h" });
  const response = await fetch(`${jaeger}/api/traces?${query}`);
  const { data } = (await response.json()) as Answer;
  return new Map(
    (data ?? []).map(({ traceID, spans }) => [
      traceID,
      spans.map((span) => ({
        spanId: span.spanID,
        parentSpanId: span.references.find(({ refType, traceID: of }) => refType === "CHILD_OF" && of === traceID)
          ?.spanID,
        name: span.operationName,
        tags: Object.fromEntries(span.tags.map(({ key, value }) => [key, value])),
      })),
    ]),
  );
}

interface Metrics {
  readonly metrics?: readonly {
    readonly labels: readonly { readonly name: string; readonly value: string }[];
    readonly metricPoints: readonly { readonly gaugeValue: { readonly doubleValue: number | string } }[];
  }[];
}

/** The Monitor tab's error rate of each operation of a service that had errors, the newest that there is. */
export function monitorErrorRates(jaeger: string, service: string): Promise<ReadonlyMap<string, number>> {
  return monitor(jaeger, "errors", service);
}

/** The Monitor tab's 95th percentile of each operation's duration, in milliseconds. */
export function monitorDurations(jaeger: string, service: string): Promise<ReadonlyMap<string, number>> {
  return monitor(jaeger, "latencies", service, { quantile: "0.95" });
}

async function monitor(
  jaeger: string,
  metric: string,
  service: string,
  more: Readonly<Record<string, string>> = {},
): Promise<ReadonlyMap<string, number>> {
  const query = new URLSearchParams({
    service,
    groupByOperation: "true",
    spanKind: "internal",
    lookback: "600000",
    step: "15000",
    ratePer: "600000",
    ...more,
  });
  const response = await fetch(`${jaeger}/api/metrics/${metric}?${query}`);
  const { metrics } = (await response.json()) as Metrics;
  return new Map(
    (metrics ?? []).flatMap(({ labels, metricPoints }) => {
      const operation = labels.find(({ name }) => name === "operation")?.value ?? "";
      const values = metricPoints
        .map(({ gaugeValue }) => Number(gaugeValue.doubleValue))
        .filter((value) => !Number.isNaN(value));
      return values.length > 0 ? [[operation, values.at(-1) ?? 0] as const] : [];
    }),
  );
}
