import type { CollectorOptions } from "./collector.ts";
import { startCollector } from "./collector.ts";
import type { TraceRequest } from "./otlp.ts";
import { sendTraces, spansOf } from "./otlp.ts";
import type { Recording } from "./recordings.ts";
import { until } from "./until.ts";

/** A series of span_metrics' counter, as Prometheus would scrape it. */
export interface SpanCount {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Sends recordings through the Collector, each as a service that is named after its tracer, and gives what it then has counted. */
export async function countSpans(
  recordings: readonly Recording[],
  override?: NonNullable<CollectorOptions["override"]>,
): Promise<readonly SpanCount[]> {
  const { otlpHttp, scrape } = await startCollector({
    configs: ["collector-config/collector.yaml", "collector-config/repair.yaml"],
    env: { METRICS_FLUSH: "1s", JAEGER_OTLP: "http://127.0.0.1:9" },
    ...(override && { override }),
  });
  for (const recording of recordings) await sendTraces(otlpHttp, asService(recording));
  const sent = recordings.reduce((sum, { request }) => sum + spansOf(request).length, 0);
  return until(`${sent} spans are counted`, async () => {
    const counts = readCounts(await (await fetch(`http://${scrape}/metrics`)).text());
    return counts.reduce((sum, { value }) => sum + value, 0) === sent && counts;
  });
}

function asService({ tracer, request }: Recording): TraceRequest {
  const attributes = [{ key: "service.name", value: { stringValue: tracer } }];
  return { resourceSpans: request.resourceSpans.map((one) => ({ ...one, resource: { attributes } })) };
}

function readCounts(text: string): readonly SpanCount[] {
  return [...text.matchAll(/^traces_span_metrics_calls_total\{(.*)\} (\d+)/gm)].map(([, labels = "", value]) => ({
    labels: Object.fromEntries(
      [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name = "", of = ""]) => [name, of]),
    ),
    value: Number(value),
  }));
}
