/** The gateway tier: two agents, Kafka, two gateways in one group, Prometheus by remote write. */
import { beforeAll, describe, expect, it } from "vitest";
import type { Collector } from "./support/collector.ts";
import { startCollector, validateConfig } from "./support/collector.ts";
import { grouped } from "./support/grouped.ts";
import { startKafka } from "./support/kafka.ts";
import type { Span } from "./support/otlp.ts";
import { sendTraces, spansOf } from "./support/otlp.ts";
import { freePort } from "./support/ports.ts";
import type { Prometheus } from "./support/prometheus.ts";
import { startPrometheus } from "./support/prometheus.ts";
import { promtool } from "./support/promtool.ts";
import { toolCalls } from "./support/tool-calls.ts";
import { until } from "./support/until.ts";

const AGENT = [
  "collector-config/collector.yaml",
  "collector-config/repair.yaml",
  "collector-config/gateway/agent.yaml",
];
const GATEWAY = ["collector-config/gateway/gateway.yaml"];
const CALLS = 4;

it("the Collector takes both files, and Prometheus its own", async () => {
  expect(await validateConfig(AGENT)).toBe("");
  expect(await validateConfig(GATEWAY)).toBe("");
  expect(await promtool("check", "config", "collector-config/gateway/prometheus.yml")).toBe("");
});

describe("two agents and two gateways", () => {
  let agents: readonly Collector[];
  let gateways: readonly Collector[];
  let prometheus: Prometheus;
  let broker: string;

  beforeAll(async () => {
    ({ broker } = await startKafka(4));
    const self = await freePort();
    prometheus = await startPrometheus({
      config: "collector-config/gateway/prometheus.yml",
      replace: {
        "otel-collector:8888": `127.0.0.1:${self}`,
        "gateway-1:8888": `127.0.0.1:${self}`,
        "gateway-2:8888": `127.0.0.1:${self}`,
        "alertmanager:9093": `127.0.0.1:${self}`,
      },
    });
    const env = { KAFKA_BROKERS: broker, REMOTE_WRITE: `${prometheus.url}/api/v1/write` };
    agents = await Promise.all([startAgent(env), startAgent(env)]);
    gateways = await Promise.all([startGateway(), startGateway()]);
    // The topic is made by the first who asks for it, and then the gateways share its partitions.
    await until("both gateways have partitions", async () => {
      await sendTraces(agents[0]!.otlpHttp, toolCalls(8, { service: "desk", tool: "warm_up", failed: true }));
      return gateways.every((gateway) => spansAt(gateway, "warm_up").length > 0);
    });
  }, 240_000);

  const startAgent = (env: Readonly<Record<string, string>>, override?: object): Promise<Collector> =>
    startCollector({ configs: AGENT, env: { ...env, METRICS_FLUSH: "5s" }, ...(override && { override }) });

  /** Writes what it keeps to a file in place of Jaeger, and decides soon. */
  const startGateway = (): Promise<Collector> =>
    startCollector({
      configs: GATEWAY,
      env: { KAFKA_BROKERS: broker, DECISION_WAIT: "4s", SAMPLING_PERCENTAGE: "0" },
      override: {
        exporters: { file: { path: "${env:TRACES_FILE}", flush_interval: "200ms" } },
        service: { pipelines: { traces: { exporters: ["file"] } } },
      },
    });

  /** Traces of so many calls, half of each trace by one agent and half by the other; the last call of each failed, or none. */
  async function sendFromBoth(traces: number, tool: string, failed: boolean, by = agents): Promise<readonly string[]> {
    const whole = Array.from({ length: traces }, () =>
      toolCalls(CALLS, { service: "desk", tool, failed, oneTrace: true }),
    );
    for (const request of whole) {
      const spans = request.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
      await Promise.all(
        by.map(({ otlpHttp }, agent) =>
          sendTraces(otlpHttp, {
            resourceSpans: request.resourceSpans.map((one) => ({
              ...one,
              scopeSpans: [
                { scope: { name: "toolspan" }, spans: spans.filter((_, index) => index % by.length === agent) },
              ],
            })),
          }),
        ),
      );
    }
    return whole.map(({ resourceSpans }) => resourceSpans[0]!.scopeSpans[0]!.spans[0]!.traceId);
  }

  const spansAt = (gateway: Collector, tool: string): readonly Span[] =>
    gateway
      .written()
      .flatMap(spansOf)
      .filter(({ attributes }) => attributes["gen_ai.tool.name"] === tool);
  const wholeAt = (gateway: Collector, tool: string): readonly string[] =>
    grouped(spansAt(gateway, tool), ({ traceId }) => traceId)
      .filter(([, spans]) => spans.length === CALLS)
      .map(([id]) => id);

  it("a trace whose spans came by two agents is whole, at one gateway, and kept for its failure", async () => {
    const kept = await sendFromBoth(40, "first", true);
    await sendFromBoth(20, "without_failure", false);
    await until("40 traces", async () => gateways.flatMap((one) => spansAt(one, "first")).length === 40 * CALLS);
    const [one, other] = gateways.map((gateway) => wholeAt(gateway, "first"));
    expect([...one!, ...other!].toSorted()).toEqual(kept.toSorted());
    expect([one!.length > 0, other!.length > 0]).toEqual([true, true]);
    expect(gateways.flatMap((gateway) => spansAt(gateway, "without_failure"))).toEqual([]);
  });

  it("every call is counted once, kept or not", async () => {
    const expected = { first: 40 * CALLS, without_failure: 20 * CALLS };
    await until(
      "all are counted",
      async () => {
        const counts = await prometheus.query(
          'sum by (gen_ai_tool_name) (sum_over_time(tool:calls:new{source="spans", gen_ai_tool_name!="warm_up"}[1h]))',
        );
        const found = Object.fromEntries(counts.map(({ labels, value }) => [labels["gen_ai_tool_name"], value]));
        return JSON.stringify(Object.entries(found).sort()) === JSON.stringify(Object.entries(expected).sort());
      },
      120,
    );
    const [agentCount] = await prometheus.query(
      "count(count by (collector_instance_id) (traces_span_metrics_calls_total))",
    );
    expect(agentCount?.value).toBe(2);
  });

  it("without the partitioning by trace id traces are torn", async () => {
    const unpartitioned = { exporters: { kafka: { partition_traces_by_id: false } } };
    const env = { KAFKA_BROKERS: broker, REMOTE_WRITE: `${prometheus.url}/api/v1/write` };
    const faulty = await Promise.all([startAgent(env, unpartitioned), startAgent(env, unpartitioned)]);
    await sendFromBoth(40, "torn", true, faulty);
    await until("their spans", async () => gateways.flatMap((one) => spansAt(one, "torn")).length === 40 * CALLS);
    expect(gateways.flatMap((gateway) => wholeAt(gateway, "torn")).length).toBeLessThan(40);
  });

  it("when a gateway dies the other takes its partitions: every trace after that is whole", async () => {
    await gateways[0]!.kill();
    // Kafka notices by the missing heartbeats. What is sent meanwhile waits in the partitions.
    const meanwhile = await sendFromBoth(40, "meanwhile", true);
    await until("all of them at the other", async () => spansAt(gateways[1]!, "meanwhile").length >= 40 * CALLS, 90);
    const after = await sendFromBoth(40, "after", true);
    await until("those after", async () => spansAt(gateways[1]!, "after").length >= 40 * CALLS, 60);
    expect(wholeAt(gateways[1]!, "meanwhile").toSorted()).toEqual(meanwhile.toSorted());
    expect(wholeAt(gateways[1]!, "after").toSorted()).toEqual(after.toSorted());
  });
});
