import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startAlertmanager, startWebhook } from "./support/alertmanager.ts";
import { startJaeger } from "./support/jaeger.ts";
import { sendTraces } from "./support/otlp.ts";
import { scratch } from "./support/program.ts";
import { startPrometheus } from "./support/prometheus.ts";
import { until } from "./support/until.ts";

/** The programs themselves, before any file of ours: what fails here is a build or the machine. */
describe("the programs run", () => {
  it("Prometheus scrapes itself and answers a query", async () => {
    const config = written(
      "global: { scrape_interval: HOW_OFTEN }\nscrape_configs: [{ job_name: self, static_configs: [{ targets: ['SELF'] }] }]\n",
    );
    const { url } = await startPrometheus({ config, replace: { HOW_OFTEN: "1s", SELF: "127.0.0.1:1" } });
    const second = await startPrometheus({ config, replace: { HOW_OFTEN: "1s", SELF: new URL(url).host } });
    const up = await until("a scrape", async () => (await second.query("up")).find(({ value }) => value === 1));
    expect(up.labels).toEqual({ instance: new URL(url).host, job: "self" });
  });

  it("Prometheus refuses a file in which what a test replaces does not occur", async () => {
    const config = written("global: {}\n");
    await expect(startPrometheus({ config, replace: { "127.0.0.1:9093": "" } })).rejects.toThrow(
      '"127.0.0.1:9093" is not in the file',
    );
  });

  it("Alertmanager hands an alert to a webhook", async () => {
    const webhook = await startWebhook();
    const config = written(
      "route: { receiver: hook, group_wait: 1s }\nreceivers: [{ name: hook, webhook_configs: [{ url: HOOK }] }]\n",
    );
    const { address } = await startAlertmanager({ config, replace: { HOOK: webhook.url } });
    await fetch(`http://${address}/api/v2/alerts`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify([{ labels: { alertname: "Trial" } }]),
    });
    const body = await until("the webhook is called", async () => webhook.bodies[0]);
    expect(body).toMatchObject({ status: "firing", alerts: [{ labels: { alertname: "Trial" } }] });
  });

  it("Jaeger keeps a trace it is sent", async () => {
    const { otlpHttp, query } = await startJaeger({
      config: join(import.meta.dirname, "support", "configs", "jaeger.yaml"),
    });
    await sendTraces(otlpHttp, trial);
    const trace = await until("the trace is found", async () => {
      const response = await fetch(`${query}/api/traces/${"a1".repeat(16)}`);
      return response.ok && response.text();
    });
    expect(trace).toContain('"operationName":"execute_tool trial"');
  });
});

const now = `${Date.now()}000000`;
const span = {
  traceId: "a1".repeat(16),
  spanId: "b2".repeat(8),
  name: "execute_tool trial",
  startTimeUnixNano: now,
  endTimeUnixNano: now,
};
const trial = { resourceSpans: [{ scopeSpans: [{ scope: { name: "trial" }, spans: [span] }] }] };

function written(text: string): string {
  const file = join(scratch(), "config.yaml");
  writeFileSync(file, text);
  return file;
}
