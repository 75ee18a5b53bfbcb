import type { Server } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { afterEach, expect, it } from "vitest";
import type { Destination } from "../../../src/cli/demo/environment.ts";
import type { Forwarder } from "../../../src/cli/demo/forwarder.ts";
import { startForwarder } from "../../../src/cli/demo/forwarder.ts";
import type { Receiver } from "../../../src/cli/receiver/receiver.ts";
import { startReceiver } from "../../../src/cli/receiver/receiver.ts";

const open: { close(): unknown }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

const SPANS = JSON.stringify({
  resourceSpans: [
    {
      scopeSpans: [
        {
          spans: [{ traceId: "ab".repeat(16), spanId: "cd".repeat(8), name: "execute_tool t", startTimeUnixNano: "1" }],
        },
      ],
    },
  ],
});

async function started(destinations: readonly Destination[], timeoutMs?: number): Promise<[Receiver, Forwarder]> {
  const receiver = await startReceiver();
  const forwarder = await startForwarder(receiver.endpoint, destinations, timeoutMs);
  open.push(receiver, forwarder);
  return [receiver, forwarder];
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  open.push({ close: () => (server.closeAllConnections(), server.close()) });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/in`;
}

function send(forwarder: Forwarder, path = "/v1/traces", body: string | Uint8Array<ArrayBuffer> = SPANS, headers = {}) {
  return fetch(forwarder.endpoint + path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });
}

const tracesTo = (url: string, headers = {}): Destination => ({ path: "/v1/traces", url, headers });

it("gives the receiver and the destination the same, packed or not", async () => {
  const other = await startReceiver();
  open.push(other);
  const [receiver, forwarder] = await started([tracesTo(`${other.endpoint}/v1/traces`)]);
  const answers = [
    await send(forwarder),
    await send(forwarder, "/v1/traces", gzipSync(SPANS), { "content-encoding": "gzip" }),
  ];
  expect(await forwarder.settle()).toEqual([]);
  expect(answers.map((answer) => answer.status)).toEqual([200, 200]);
  expect(receiver.spans.map((span) => span.name)).toEqual(["execute_tool t", "execute_tool t"]);
  expect(other.spans).toEqual(receiver.spans);
});

it("adds the destination's headers, and sends it its own signal only", async () => {
  const got: unknown[] = [];
  const url = await listening(
    createServer(async (request, response) => {
      got.push([request.url, request.headers["x-tenant"], await text(request)]);
      response.end("{}");
    }),
  );
  const [receiver, forwarder] = await started([tracesTo(url, { "x-tenant": "7" })]);
  await send(forwarder);
  await send(forwarder, "/v1/metrics", "{}");
  await forwarder.settle();
  expect(got).toEqual([["/in", "7", SPANS]]);
  expect(receiver.spans).toHaveLength(1);
});

it("answers what the receiver answers, and 502 where that does not", async () => {
  const [receiver, forwarder] = await started([]);
  expect((await send(forwarder, "/v1/traces", "{")).status).toBe(400);
  expect((await send(forwarder, "/elsewhere")).status).toBe(404);
  await receiver.close();
  expect((await send(forwarder)).status).toBe(502);
});

it("says once what it could not deliver, and why", async () => {
  const dead = createServer();
  const deadUrl = await listening(dead);
  await new Promise((resolve) => dead.close(resolve));
  const refusing = await listening(createServer((_, response) => response.writeHead(503).end()));
  const silent = await listening(createServer(() => {}));
  const [receiver, forwarder] = await started([tracesTo(deadUrl), tracesTo(refusing), tracesTo(silent)], 300);
  await send(forwarder);
  await send(forwarder);
  expect(receiver.spans).toHaveLength(2);
  expect((await forwarder.settle()).toSorted()).toEqual(
    [
      `could not send to ${deadUrl}: ECONNREFUSED`,
      `could not send to ${refusing}: it answered 503`,
      `could not send to ${silent}: The operation was aborted due to timeout`,
    ].toSorted(),
  );
});
