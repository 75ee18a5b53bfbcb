import type { Check } from "../span/options.ts";
import { fields, isCount, show } from "../span/options.ts";

export interface TracingOptions {
  /**
   * `service.name` of all spans and metrics.
   * @default `OTEL_SERVICE_NAME`, else that of `OTEL_RESOURCE_ATTRIBUTES`, else the application's name in its package.json
   */
  readonly serviceName?: string;
  /**
   * The collector's base address, without `/v1/traces`.
   * @default `OTEL_EXPORTER_OTLP_ENDPOINT` and its forms for one signal, else `http://localhost:4318`
   */
  readonly endpoint?: string;
  /** Headers of every request, beside those of `OTEL_EXPORTER_OTLP_HEADERS`. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Milliseconds that `flush()` and `shutdown()` may take at most. An export gets as many, its retries included, where
   * `OTEL_EXPORTER_OTLP_TIMEOUT` does not say otherwise: the exporters' retries keep Node alive, and with the standard's ten
   * seconds a script would end late wherever no collector runs.
   * @default 3000
   */
  readonly flushTimeoutMs?: number;
}

export const DEFAULT_FLUSH_TIMEOUT_MS = 3000;

const CHECKS: Readonly<Record<keyof TracingOptions, Check>> = {
  serviceName: isText,
  endpoint: isBaseAddress,
  headers: isHeaders,
  flushTimeoutMs: isCount,
};

/** @throws {TypeError} beginning with `toolspan:`, for an unknown option or a value that cannot work */
export function checkTracingOptions(options: TracingOptions): void {
  const fault = fields(CHECKS)(options);
  if (fault) throw new TypeError(`toolspan: ${fault}`);
}

function isText(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? undefined : `must be a text, not ${show(value)}`;
}

function isBaseAddress(value: unknown): string | undefined {
  if (typeof value !== "string" || !/^https?:\/\//i.test(value) || !URL.canParse(value)) {
    return `must be an address such as "http://localhost:4318", not ${show(value)}`;
  }
  const signal = /\/v1\/(?:traces|metrics|logs)\/?$/.exec(value)?.[0];
  return signal ? `must be the base address, without ${show(signal)}` : undefined;
}

function isHeaders(value: unknown): string | undefined {
  const isPlain = typeof value === "object" && value !== null && !Array.isArray(value);
  const fits = isPlain && Object.values(value).every((header) => typeof header === "string");
  return fits ? undefined : `must be an object of texts, such as { authorization: "…" }, not ${show(value)}`;
}
