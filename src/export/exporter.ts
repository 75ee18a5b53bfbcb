import { diag } from "@opentelemetry/api";
import type { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import type { Environment } from "./environment.ts";
import { numberFrom, textFrom } from "./environment.ts";
import type { TracingOptions } from "./tracing-options.ts";

type ExporterConfig = NonNullable<ConstructorParameters<typeof OTLPTraceExporter>[0]>;

/** What the exporters do not read from `OTEL_EXPORTER_OTLP_*` themselves, and what the options put in its place. */
export function exporterConfig(
  signal: "traces" | "metrics",
  options: TracingOptions,
  flushTimeoutMs: number,
  environment: Environment,
): ExporterConfig {
  warnOfGrpc(signal, environment);
  const timeouts = [`OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_TIMEOUT`, "OTEL_EXPORTER_OTLP_TIMEOUT"];
  return {
    ...(options.endpoint === undefined ? {} : { url: signalUrl(options.endpoint, signal) }),
    ...(options.headers === undefined ? {} : { headers: { ...options.headers } }),
    timeoutMillis: numberFrom(environment, timeouts, 1) ?? flushTimeoutMs,
  };
}

function signalUrl(endpoint: string, signal: string): string {
  const url = new URL(endpoint);
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/v1/${signal}`;
  return url.href;
}

/** A gRPC port does not answer HTTP: everything would be lost without a word. */
function warnOfGrpc(signal: string, environment: Environment): void {
  const protocol =
    textFrom(environment, `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_PROTOCOL`) ??
    textFrom(environment, "OTEL_EXPORTER_OTLP_PROTOCOL");
  if (protocol !== "grpc") return;
  diag.warn(`toolspan: startTracing sends ${signal} by OTLP/HTTP, not by gRPC; give the collector's HTTP port (4318)`);
}
