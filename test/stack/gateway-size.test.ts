/** What a gateway needs: figures for collector-config/gateway/README.md, printed; asserted is only that nothing is lost on the way. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { startCollector } from "./support/collector.ts";
import { startKafka } from "./support/kafka.ts";
import type { Program } from "./support/program.ts";
import { sendTraces } from "./support/otlp.ts";
import { toolCalls } from "./support/tool-calls.ts";
import { until } from "./support/until.ts";

const TRACES = 20_000;
const SPANS = 8;
const AT_ONCE = 50;

it("a gateway holds 20,000 traces of 8 spans, and loses none", async () => {
  const { broker } = await startKafka(4);
  const agent = await startCollector({
    configs: ["collector-config/collector.yaml", "collector-config/repair.yaml", "collector-config/gateway/agent.yaml"],
    env: { KAFKA_BROKERS: broker, REMOTE_WRITE: "http://127.0.0.1:9/" },
  });
  await sendTraces(agent.otlpHttp, toolCalls(1, { service: "desk", tool: "warm_up" }));
  const gateway = await startCollector({
    configs: ["collector-config/gateway/gateway.yaml"],
    env: { KAFKA_BROKERS: broker, DECISION_WAIT: "600s", JAEGER_OTLP: "http://127.0.0.1:9" },
  });
  const received = async (): Promise<number> => {
    const text = await (await fetch(`http://${gateway.selfScrape}/metrics`)).text();
    return Number(/^otelcol_receiver_accepted_spans(?:_total)?\{[^}]*\} (\d+)/m.exec(text)?.[1] ?? 0);
  };
  await until("the first span", async () => (await received()) === 1);
  const [memory, agentCpu, gatewayCpu] = [residentBytes(gateway), cpuSeconds(agent), cpuSeconds(gateway)];
  for (let sent = 0; sent < TRACES; sent += AT_ONCE) {
    await Promise.all(
      Array.from({ length: AT_ONCE }, () =>
        sendTraces(
          agent.otlpHttp,
          toolCalls(SPANS, { service: "desk", tool: "search", oneTrace: true, failed: true, result: RESULT }),
        ),
      ),
    );
  }
  await until("all", async () => (await received()) === TRACES * SPANS + 1, 120);
  const held = (residentBytes(gateway) - memory) / TRACES;
  const rate = (before: number, program: Program): number =>
    Math.round((TRACES * SPANS) / (cpuSeconds(program) - before));
  process.stdout.write(
    `a trace of ${SPANS} spans with ${RESULT.length} bytes of result each: ${Math.round(held / 1024)} KiB held; ` +
      `spans a second and core: agent ${rate(agentCpu, agent)}, gateway ${rate(gatewayCpu, gateway)}\n`,
  );
  expect(await received()).toBe(TRACES * SPANS + 1);
}, 300_000);

const RESULT = JSON.stringify({
  rows: Array.from({ length: 20 }, (_, row) => ({ row, city: "Oslo", price: row * 17 })),
});

/** User and system time (proc(5), stat); a tick is a hundredth of a second on Linux. */
function cpuSeconds({ pid }: Program): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function residentBytes({ pid }: Program): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024;
}
