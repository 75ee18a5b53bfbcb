import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, it } from "vitest";
import type { BackEnd } from "./support/back-end.ts";
import { startBackEnd } from "./support/back-end.ts";
import type { Collector } from "./support/collector.ts";
import { sendTraces } from "./support/otlp.ts";
import type { Prometheus } from "./support/prometheus.ts";
import { toolCalls } from "./support/tool-calls.ts";
import { until } from "./support/until.ts";

let backEnd: BackEnd;
let collector: Collector;
let prometheus: Prometheus;

beforeAll(async () => {
  // Shorter than the scrapes: most series begin above 0, which is the harder case.
  backEnd = await startBackEnd({ METRICS_FLUSH: "5s" });
  ({ collector, prometheus } = backEnd);
});

const counted = async (tool: string, labels = 'failed="true"'): Promise<number> => {
  const [sum] = await prometheus.query(
    `sum(sum_over_time(tool:calls:new{source="spans", gen_ai_tool_name="${tool}", ${labels}}[1h]))`,
  );
  return sum?.value ?? 0;
};
const send = (count: number, tool: string, failed = true): Promise<void> =>
  sendTraces(collector.otlpHttp, toolCalls(count, { service: "desk", tool, failed }));
const isCounted = (tool: string, count: number, labels?: string): Promise<true> =>
  until(`${tool} has ${count}`, async () => (await counted(tool, labels)) === count || undefined, 90) as Promise<true>;

it("the first failure of a tool counts, alone", async () => {
  await send(1, "first");
  await isCounted("first", 1);
  expect(await counted("first")).toBe(1);
});

it("three failures, a restart of the Collector, two more: five, and no spike of what was there before", async () => {
  await send(3, "search");
  await send(1000, "busy", false);
  await Promise.all([isCounted("search", 3), isCounted("busy", 1000, 'failed="false"')]);
  await collector.stop();
  collector = await backEnd.restartCollector();
  await send(2, "search");
  await send(1, "busy", false);
  await Promise.all([isCounted("search", 5), isCounted("busy", 1001, 'failed="false"')]);
  expect([await counted("search"), await counted("busy", 'failed="false"'), await counted("first")]).toEqual([
    5, 1001, 1,
  ]);
}, 240_000);

it("what happens while Prometheus is down counts when it is back, and nothing twice", async () => {
  await prometheus.stop();
  await send(4, "search");
  await send(1, "meanwhile");
  await sleep(20_000);
  prometheus = await backEnd.restartPrometheus();
  await Promise.all([isCounted("search", 9), isCounted("meanwhile", 1)]);
  // Two more readings: what would be counted wrongly has been by then.
  await sleep(35_000);
  expect([await counted("search"), await counted("busy", 'failed="false"'), await counted("first")]).toEqual([
    9, 1001, 1,
  ]);
}, 240_000);
