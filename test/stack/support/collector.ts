import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { TraceRequest } from "./otlp.ts";
import { linesOf } from "./otlp.ts";
import { freePort } from "./ports.ts";
import { type Program, programPath, scratch, startProgram } from "./program.ts";

export interface CollectorOptions {
  /** The files users get, in the order of their `--config` arguments. */
  readonly configs: readonly string[];
  /** A last `--config`: only what a test must have otherwise. */
  readonly override?: object;
  /** Further variables for the files' `${env:…}`; ports and paths are set already. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The real Collector, with the addresses its files were given through their variables. */
export interface Collector extends Program {
  /** OTLP/HTTP in: `http://127.0.0.1:PORT`. */
  readonly otlpHttp: string;
  /** Where its prometheus exporter is scraped: `127.0.0.1:PORT`. */
  readonly scrape: string;
  /** Where its own metrics are scraped: `127.0.0.1:PORT`. */
  readonly selfScrape: string;
  /** The same addresses and paths again, for a Collector that takes this one's place. */
  readonly env: Readonly<Record<string, string>>;
  /** What its file exporter has written so far: the requests, in the order in which they came. */
  written(): readonly TraceRequest[];
}

export async function startCollector({ configs, override, env: more = {} }: CollectorOptions): Promise<Collector> {
  const folder = scratch();
  const env = { ...(await addresses(folder)), ...more };
  const program = await startProgram({
    command: "otelcol",
    args: [...configs, ...overrideFile(folder, override)].flatMap((file) => ["--config", file]),
    env,
    ready: `http://${env["HEALTH_ENDPOINT"]}/`,
  });
  const traces = String(env["TRACES_FILE"]);
  return {
    ...program,
    env,
    otlpHttp: `http://${env["OTLP_HTTP"]}`,
    scrape: String(env["PROM_EXPORT"]),
    selfScrape: `127.0.0.1:${env["SELF_METRICS_PORT"]}`,
    written: () =>
      existsSync(traces) ? linesOf(readFileSync(traces, "utf8")).map((line) => JSON.parse(line) as TraceRequest) : [],
  };
}

/** What the Collector itself says of the files: nothing where they are right, else its complaint. */
export async function validateConfig(configs: readonly string[], override?: object): Promise<string> {
  const folder = scratch();
  const files = [...configs, ...overrideFile(folder, override)].flatMap((file) => ["--config", file]);
  return promisify(execFile)(programPath("otelcol"), ["validate", ...files], { env: await addresses(folder) }).then(
    () => "",
    (error: { stderr?: string }) => String(error.stderr ?? error),
  );
}

/** The variables of the files users get, and of those of the tests. */
async function addresses(folder: string): Promise<Record<string, string>> {
  const [http, grpc, health, scrape, self] = await Promise.all([1, 2, 3, 4, 5].map(freePort));
  return {
    OTLP_HTTP: `127.0.0.1:${http}`,
    OTLP_GRPC: `127.0.0.1:${grpc}`,
    HEALTH_ENDPOINT: `127.0.0.1:${health}`,
    PROM_EXPORT: `127.0.0.1:${scrape}`,
    SELF_METRICS_PORT: String(self),
    QUEUE_DIR: folder,
    TRACES_FILE: join(folder, "traces.jsonl"),
  };
}

/** JSON is YAML, too. */
function overrideFile(folder: string, override: object | undefined): readonly string[] {
  if (override === undefined) return [];
  const file = join(folder, "override.yaml");
  writeFileSync(file, JSON.stringify(override));
  return [file];
}
