import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "./ports.ts";
import { type Program, scratch, startProgram } from "./program.ts";

export interface JaegerOptions {
  /** The file users get. Its Badger folder is `${env:BADGER_DIR}`. */
  readonly config: string;
  /** Prometheus for the Monitor tab: `http://127.0.0.1:PORT`. */
  readonly prometheus?: string;
  /** Further things a test must have otherwise, merged over the file. */
  readonly override?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** The real Jaeger, on ports of its own. */
export interface Jaeger extends Program {
  /** OTLP/HTTP in. */
  readonly otlpHttp: string;
  /** OTLP/gRPC in: `127.0.0.1:PORT`. */
  readonly otlpGrpc: string;
  /** Its query API and UI. */
  readonly query: string;
}

export async function startJaeger({ config, prometheus, override = {}, env = {} }: JaegerOptions): Promise<Jaeger> {
  const folder = scratch();
  const [http, grpc, health, query, queryGrpc] = await Promise.all([1, 2, 3, 4, 5].map(freePort));
  const at = (port: number | undefined): string => `127.0.0.1:${port}`;
  const ports = join(folder, "ports.yaml");
  const extensions = {
    healthcheckv2: { http: { endpoint: at(health) } },
    jaeger_query: { http: { endpoint: at(query) }, grpc: { endpoint: at(queryGrpc) } },
  };
  const receivers = { otlp: { protocols: { grpc: { endpoint: at(grpc) }, http: { endpoint: at(http) } } } };
  writeFileSync(ports, JSON.stringify({ extensions, receivers }));
  const others = join(folder, "override.yaml");
  writeFileSync(others, JSON.stringify(override));
  const program = await startProgram({
    command: "jaeger",
    args: [config, ports, others].flatMap((file) => ["--config", file]),
    env: { BADGER_DIR: join(folder, "badger"), PROMETHEUS: prometheus ?? "http://127.0.0.1:9090", ...env },
    ready: `http://${at(health)}/status`,
  });
  return { ...program, otlpHttp: `http://${at(http)}`, otlpGrpc: at(grpc), query: `http://${at(query)}` };
}
