import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { Destination } from "./environment.ts";

/** Stands before the receiver and sends on, byte for byte, what the exporters send. */
export interface Forwarder {
  /** Where the exporters send. */
  readonly endpoint: string;
  /** Waits for what is still on its way. @returns what could not be delivered, a line each destination */
  settle(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/**
 * @param receiver base URL of the demo's own receiver; its answer is the answer
 * @param timeoutMs the longest that a destination may take; it never delays the exporters
 */
export async function startForwarder(
  receiver: string,
  destinations: readonly Destination[],
  timeoutMs = 3000,
): Promise<Forwarder> {
  const failures = new Map<string, string>();
  const underWay: Promise<void>[] = [];

  async function deliver({ url, headers }: Destination, sent: Message): Promise<void> {
    try {
      const answer = await post(url, { ...sent, headers: { ...sent.headers, ...headers } }, timeoutMs);
      if (answer.status >= 400) failures.set(url, `it answered ${answer.status}`);
    } catch (error) {
      failures.set(url, reasonOf(error));
    }
  }

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const type = request.headers["content-type"] ?? "";
    const coding = request.headers["content-encoding"];
    const sent: Message = {
      headers: { "content-type": type, ...(coding && { "content-encoding": coding }) },
      body: await buffer(request),
    };
    const path = request.url ?? "/";
    for (const destination of destinations) if (destination.path === path) underWay.push(deliver(destination, sent));
    const answer = await post(receiver + path, sent, timeoutMs);
    response.writeHead(answer.status, { "content-type": type }).end(answer.body);
  }

  const server = createServer((request, response) => {
    take(request, response).catch(() => response.writeHead(502).end());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async settle() {
      await Promise.all(underWay);
      return [...failures].map(([url, reason]) => `could not send to ${url}: ${reason}`);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Message {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

async function post(url: string, { headers, body }: Message, timeoutMs: number) {
  const signal = AbortSignal.timeout(timeoutMs);
  const response = await fetch(url, { method: "POST", headers, body, signal });
  return { status: response.status, body: new Uint8Array(await response.arrayBuffer()) };
}

/** fetch says only "fetch failed"; its cause says why. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  return typeof code === "string" ? code : cause instanceof Error ? cause.message : String(cause);
}
