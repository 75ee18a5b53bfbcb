import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";
import { atEnd, scratch } from "./support/program.ts";
import { startPrometheus } from "./support/prometheus.ts";
import { promtool } from "./support/promtool.ts";
import { until } from "./support/until.ts";

const NOTHING = { "otel-collector:8888": "127.0.0.1:9", "alertmanager:9093": "127.0.0.1:9" };

/** A line of a scrape, in which `job` and `instance` are the application's own. */
const series = (tool: string, count: number): string =>
  `traces_span_metrics_calls_total{gen_ai_operation_name="execute_tool",span_kind="SPAN_KIND_INTERNAL",` +
  `status_code="STATUS_CODE_ERROR",service_name="desk",job="desk",instance="1",gen_ai_tool_name="${tool}"} ${count}`;

it("rules that are added to a Prometheus which runs do not count its past as news", async () => {
  const counts: Record<string, number> = { search: 4000 };
  const target = await startTarget(() =>
    Object.entries(counts)
      .map(([tool, count]) => `${series(tool, count)}\n`)
      .join(""),
  );
  const data = scratch();
  await writePast(data, series("search", 4000));

  const prometheus = await startPrometheus({
    config: "collector-config/prometheus/prometheus.yml",
    data,
    replace: { ...NOTHING, "otel-collector:8889": target },
  });
  const counted = async (): Promise<Readonly<Record<string, number>>> => {
    const sums = await prometheus.query(
      'sum by (gen_ai_tool_name) (sum_over_time(tool:calls:new{source="spans"}[1h]))',
    );
    return Object.fromEntries(sums.map(({ labels, value }) => [labels["gen_ai_tool_name"], value]));
  };
  await until("a first evaluation", async () => "search" in (await counted()));
  expect(await counted()).toEqual({ search: 0 });
  counts["search"] = 4001;
  counts["fetch"] = 1;
  await until("the new calls", async () => "fetch" in (await counted()));
  expect(await counted()).toEqual({ search: 1, fetch: 1 });
});

/** What a Prometheus without the rules has scraped in ten minutes. */
async function writePast(data: string, line: string): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  const lines = Array.from({ length: 40 }, (_, scrape) => `${line} ${now - 15 * (40 - scrape)}\n`);
  const file = join(scratch(), "past.om");
  writeFileSync(file, `# TYPE traces_span_metrics_calls counter\n${lines.join("")}# EOF\n`);
  const complaint = await promtool("tsdb", "create-blocks-from", "openmetrics", file, data);
  if (complaint !== "") throw new Error(complaint);
}

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
