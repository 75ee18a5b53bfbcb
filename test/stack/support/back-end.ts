import type { Alertmanager } from "./alertmanager.ts";
import { startAlertmanager, startWebhook } from "./alertmanager.ts";
import type { Collector } from "./collector.ts";
import { startCollector } from "./collector.ts";
import type { Jaeger } from "./jaeger.ts";
import { startJaeger } from "./jaeger.ts";
import { freePort } from "./ports.ts";
import type { Prometheus } from "./prometheus.ts";
import { startPrometheus } from "./prometheus.ts";
import { scratch } from "./program.ts";

/** All that docker-compose.yml starts but Grafana, from the same files. */
export interface BackEnd {
  readonly collector: Collector;
  readonly jaeger: Jaeger;
  readonly prometheus: Prometheus;
  readonly alertmanager: Alertmanager;
  /** What the alerts' webhook was sent. */
  readonly alerts: readonly unknown[];
  /** Another Collector in the place of this one, which must have ended. */
  restartCollector(): Promise<Collector>;
  /** Another Prometheus on the data of this one, which must have ended. */
  restartPrometheus(): Promise<Prometheus>;
}

/** @param env further variables of the Collector's */
export async function startBackEnd(env: Readonly<Record<string, string>> = {}): Promise<BackEnd> {
  const [scrape, self] = await Promise.all([freePort(), freePort()]);
  const webhook = await startWebhook();
  const alertmanager = await startAlertmanager({
    config: "collector-config/alertmanager.yml",
    replace: { "http://host.docker.internal:9099/alerts": webhook.url },
  });
  const data = scratch();
  const runPrometheus = (): Promise<Prometheus> =>
    startPrometheus({
      config: "collector-config/prometheus/prometheus.yml",
      data,
      replace: {
        "otel-collector:8889": `127.0.0.1:${scrape}`,
        "otel-collector:8888": `127.0.0.1:${self}`,
        "alertmanager:9093": alertmanager.address,
      },
    });
  const prometheus = await runPrometheus();
  const jaeger = await startJaeger({ config: "collector-config/jaeger.yaml", prometheus: prometheus.url });
  const runCollector = (addresses: Readonly<Record<string, string>>): Promise<Collector> =>
    startCollector({
      configs: ["collector-config/collector.yaml", "collector-config/repair.yaml"],
      env: { ...addresses, ...env },
    });
  const collector = await runCollector({
    PROM_EXPORT: `127.0.0.1:${scrape}`,
    SELF_METRICS_PORT: String(self),
    JAEGER_OTLP: jaeger.otlpHttp,
  });
  return {
    collector,
    jaeger,
    prometheus,
    alertmanager,
    alerts: webhook.bodies,
    restartCollector: () => runCollector(collector.env),
    restartPrometheus: runPrometheus,
  };
}
