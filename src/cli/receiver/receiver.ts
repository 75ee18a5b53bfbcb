import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { readBody } from "./body.ts";
import { CONTENT_TYPES, countLogRecords, decodeRequest, encodeStatus, encodeSuccess, encodingOf } from "./decode.ts";
import type { Message } from "./field.ts";
import type { ReceivedPoint } from "./point.ts";
import { pointsOf } from "./point.ts";
import { Refusal } from "./refusal.ts";
import type { ReceivedSpan } from "./span.ts";
import { spansOf } from "./span.ts";

export type { ReceivedPoint } from "./point.ts";
export type { ReceivedSpan } from "./span.ts";

/** A running OTLP/HTTP receiver and what it got. */
export interface Receiver {
  /** `http://127.0.0.1:PORT`, as `OTEL_EXPORTER_OTLP_ENDPOINT` wants it. */
  readonly endpoint: string;
  /** In the order received. */
  readonly spans: readonly ReceivedSpan[];
  /** All points as received, in order; a cumulative series comes again with each export. */
  readonly points: readonly ReceivedPoint[];
  /** Log records are counted and not kept. */
  readonly logRecords: number;
  /** Forgets what was received. */
  clear(): void;
  /** Stops listening and drops open connections. */
  close(): Promise<void>;
}

/**
 * Takes what any OTLP/HTTP client sends, JSON or protobuf, packed or not, and keeps it in memory.
 *
 * @param options.port 0 is any free one. @default 0
 * @param options.host @default "127.0.0.1"
 * @throws {Error} when the port cannot be listened on
 */
export async function startReceiver(
  options: { readonly port?: number; readonly host?: string } = {},
): Promise<Receiver> {
  const { port = 0, host = "127.0.0.1" } = options;
  const spans: ReceivedSpan[] = [];
  const points: ReceivedPoint[] = [];
  let logRecords = 0;
  const signals: Signals = {
    "/v1/traces": {
      type: "ExportTraceServiceRequest",
      keep: (request) => append(spans, spansOf(request)),
    },
    "/v1/metrics": {
      type: "ExportMetricsServiceRequest",
      keep: (request) => append(points, pointsOf(request)),
    },
    "/v1/logs": {
      type: "ExportLogsServiceRequest",
      keep: (request) => {
        logRecords += countLogRecords(request);
      },
    },
  };
  const server = createServer((request, response) => void answer(request, response, signals));
  await listen(server, port, host);
  const { address, port: given, family } = server.address() as AddressInfo;
  return {
    endpoint: `http://${family === "IPv6" ? `[${address}]` : address}:${given}`,
    spans,
    points,
    get logRecords() {
      return logRecords;
    },
    clear() {
      spans.length = 0;
      points.length = 0;
      logRecords = 0;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Signals = Readonly<Record<string, { readonly type: string; readonly keep: (request: Message) => void }>>;

/** Not `push(...)`: a batch may hold more spans than a call may have arguments. */
function append<T>(kept: T[], received: readonly T[]): void {
  for (const item of received) kept.push(item);
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const why =
        error.code === "EADDRINUSE" ? "another program uses it; stop that or choose another port" : error.message;
      reject(new Error(`toolspan: cannot listen on port ${port} of ${host}: ${why}`, { cause: error }));
    });
    server.listen(port, host, resolve);
  });
}

async function answer(request: IncomingMessage, response: ServerResponse, signals: Signals): Promise<void> {
  const encoding = encodingOf(request.headers["content-type"]);
  try {
    await take(request, signals);
    response.writeHead(200, { "content-type": CONTENT_TYPES[encoding ?? "json"] });
    response.end(encodeSuccess(encoding ?? "json"));
  } catch (error) {
    const refusal = error instanceof Refusal ? error : new Refusal(400, `cannot read the body: ${String(error)}`);
    request.resume();
    if (refusal.status === 405) response.setHeader("allow", "POST");
    response.writeHead(refusal.status, { "content-type": CONTENT_TYPES[encoding ?? "json"] });
    response.end(encodeStatus(refusal.rpcCode, refusal.message, encoding ?? "json"));
  }
}

async function take(request: IncomingMessage, signals: Signals): Promise<void> {
  const path = request.url?.split("?")[0] ?? "";
  const signal = signals[path];
  if (!signal) throw new Refusal(404, `no such path; this receiver has ${Object.keys(signals).join(", ")}`);
  if (request.method !== "POST") throw new Refusal(405, "send by POST");
  const encoding = encodingOf(request.headers["content-type"]);
  if (!encoding) throw new Refusal(415, `send ${Object.values(CONTENT_TYPES).join(" or ")}`);
  // The whole request is decoded before any of it is kept: a refused one leaves nothing behind.
  signal.keep(decodeRequest(signal.type, await readBody(request), encoding));
}
