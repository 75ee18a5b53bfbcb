/** A place besides the demo's own receiver to which the same spans and metrics are sent. */
export interface Destination {
  /** Path of the signal at the demo's side: `/v1/traces` or `/v1/metrics`. */
  readonly path: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

const SIGNALS = [
  { name: "TRACES", path: "/v1/traces" },
  { name: "METRICS", path: "/v1/metrics" },
] as const;

/**
 * Reads the standard `OTEL_EXPORTER_OTLP_*` variables: the endpoint and headers, those of one signal first.
 * @throws {TypeError} beginning with `toolspan:`, for an endpoint that is no URL
 */
export function readDestinations(env: NodeJS.ProcessEnv): readonly Destination[] {
  return SIGNALS.flatMap(({ name, path }) => {
    const own = readUrl(env, `OTEL_EXPORTER_OTLP_${name}_ENDPOINT`);
    const base = readUrl(env, "OTEL_EXPORTER_OTLP_ENDPOINT");
    const url = own ?? (base && `${base.replace(/\/$/, "")}${path}`);
    if (url === undefined) return [];
    const headers = parseHeaders(env[`OTEL_EXPORTER_OTLP_${name}_HEADERS`] || env["OTEL_EXPORTER_OTLP_HEADERS"] || "");
    return [{ path, url, headers }];
  });
}

function readUrl(env: NodeJS.ProcessEnv, variable: string): string | undefined {
  const text = env[variable]?.trim();
  if (!text) return undefined;
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return text;
  throw new TypeError(`toolspan: ${variable} must be an http or https URL, not "${text}"`);
}

/** `name=value,name=value`, percent-encoded (OpenTelemetry specification, OTLP exporter, headers). */
function parseHeaders(text: string): Record<string, string> {
  const pairs = text.split(",").filter((pair) => pair.includes("="));
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=");
      return [pair.slice(0, at).trim(), decoded(pair.slice(at + 1).trim())];
    }),
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // not encoded after all
  }
}

/**
 * Takes from the environment what would change the demo: settings of the SDK (a sampler, `OTEL_SDK_DISABLED`), and the
 * tracing of LangSmith, which would send the demo's runs away.
 */
export function clearTracingSettings(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(env)) {
    if (/^(OTEL|LANGSMITH|LANGCHAIN)_/.test(name)) delete env[name];
  }
}
