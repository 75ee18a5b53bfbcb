import { type Collector, startCollector } from "./collector.ts";
import type { Span, TraceRequest } from "./otlp.ts";
import { sendTraces, spansOf } from "./otlp.ts";
import { until } from "./until.ts";

/** The repair that users get, between a receiver and a file. */
export const REPAIR_ONLY: readonly string[] = ["collector-config/repair.yaml", "test/stack/repair-only.yaml"];

export interface Repair {
  readonly collector: Collector;
  /** Sends the requests and gives the spans of each as they come out: the order is kept. */
  pass(requests: readonly TraceRequest[]): Promise<readonly (readonly Span[])[]>;
}

export async function startRepair(env: Readonly<Record<string, string>> = {}): Promise<Repair> {
  const collector = await startCollector({ configs: REPAIR_ONLY, env });
  let known = 0;
  return {
    collector,
    async pass(requests) {
      for (const request of requests) await sendTraces(collector.otlpHttp, request);
      const all = await until(`${requests.length} requests come out`, async () => {
        const written = collector.written();
        return written.length >= known + requests.length && written;
      });
      const written = all.slice(known);
      known = all.length;
      return written.map(spansOf);
    },
  };
}
