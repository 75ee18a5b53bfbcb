import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { atEnd, scratch } from "./support/program.ts";
import { startPrometheus } from "./support/prometheus.ts";
import { until } from "./support/until.ts";

const LABELS =
  'gen_ai_operation_name="execute_tool",span_kind="SPAN_KIND_INTERNAL",status_code="STATUS_CODE_ERROR",service_name="desk"';
const NOTHING = { "otel-collector:8888": "127.0.0.1:9", "alertmanager:9093": "127.0.0.1:9" };

it("rules that are added to a Prometheus which runs do not count its past as news", async () => {
  const counts: Record<string, number> = { search: 4000 };
  const target = await startTarget(() =>
    Object.entries(counts)
      .map(([tool, count]) => `traces_span_metrics_calls_total{gen_ai_tool_name="${tool}",${LABELS}} ${count}\n`)
      .join(""),
  );
  const config = "collector-config/prometheus/prometheus.yml";
  const data = scratch();
  const replace = { ...NOTHING, "otel-collector:8889": target };
  const before = await startPrometheus({
    config,
    data,
    replace: { ...replace, "- recording-rules.yml": "- none.yml" },
  });
  const first = await until(
    "a scrape",
    async () => (await before.query("timestamp(traces_span_metrics_calls_total)"))[0]?.value,
  );
  await until(
    "a minute of it",
    async () => {
      const [newest] = await before.query("timestamp(traces_span_metrics_calls_total)");
      return newest !== undefined && newest.value - first > 70;
    },
    120,
  );
  await before.stop();

  const after = await startPrometheus({ config, data, replace });
  const counted = async (): Promise<Readonly<Record<string, number>>> => {
    const sums = await after.query('sum by (gen_ai_tool_name) (sum_over_time(tool:calls:new{source="spans"}[1h]))');
    return Object.fromEntries(sums.map(({ labels, value }) => [labels["gen_ai_tool_name"], value]));
  };
  await until("a first evaluation", async () => "search" in (await counted()));
  expect(await counted()).toEqual({ search: 0 });
  counts["search"] = 4001;
  counts["fetch"] = 1;
  await until("the new calls", async () => "fetch" in (await counted()));
  expect(await counted()).toEqual({ search: 1, fetch: 1 });
}, 300_000);

/** Something to scrape. @returns its address */
async function startTarget(text: () => string): Promise<string> {
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/plain; version=0.0.4" }).end(text());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}
