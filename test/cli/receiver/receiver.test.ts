import { request } from "node:http";
import { deflateSync, gzipSync } from "node:zlib";
import protobuf from "protobufjs/light.js";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Receiver } from "../../../src/cli/receiver/receiver.ts";
import { startReceiver } from "../../../src/cli/receiver/receiver.ts";
import { OTLP } from "../../../src/cli/receiver/schema.ts";

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());
beforeEach(() => receiver.clear());

const JSON_TYPE = "application/json";
const traceId = "0af7651916cd43dd8448eb211c80319c";
const spanId = "b7ad6b7169203331";

interface Answer {
  readonly status: number;
  readonly type: string | null;
  readonly body: Buffer;
}

async function send(path: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(`${receiver.endpoint}${path}`, {
    method: "POST",
    body: typeof body === "string" ? body : new Uint8Array(body),
    headers: { "content-type": JSON_TYPE, ...headers },
  });
  return {
    status: response.status,
    type: response.headers.get("content-type"),
    body: Buffer.from(await response.arrayBuffer()),
  };
}

const traces = (...spans: readonly object[]): string =>
  JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
const span = (more: object = {}): object => ({ traceId, spanId, name: "tool", ...more });
const metrics = (...list: readonly object[]): string =>
  JSON.stringify({ resourceMetrics: [{ scopeMetrics: [{ metrics: list }] }] });

describe("OTLP/JSON by hand", () => {
  it("takes original names, enums by name, and 64-bit integers as text or number", async () => {
    const body = {
      resource_spans: [
        {
          resource: { attributes: [{ key: "service.name", value: { string_value: "shop" } }] },
          scope_spans: [
            {
              scope: { name: "other" },
              spans: [
                {
                  trace_id: traceId.toUpperCase(),
                  span_id: spanId,
                  parent_span_id: "",
                  name: "tool",
                  kind: "SPAN_KIND_SERVER",
                  start_time_unix_nano: "1700000000123456789",
                  end_time_unix_nano: 1_700_000_000,
                  status: { code: "STATUS_CODE_ERROR" },
                },
              ],
            },
          ],
        },
      ],
    };
    expect((await send("/v1/traces", JSON.stringify(body))).status).toBe(200);
    expect(receiver.spans).toEqual([
      {
        traceId,
        spanId,
        parentSpanId: undefined,
        name: "tool",
        kind: 2,
        startTimeUnixNano: 1_700_000_000_123_456_789n,
        endTimeUnixNano: 1_700_000_000n,
        attributes: {},
        status: { code: 2, message: "" },
        events: [],
        links: [],
        scope: { name: "other", version: "" },
        resource: { "service.name": "shop" },
      },
    ]);
  });

  it("makes plain values of every kind of attribute", async () => {
    const attributes = Object.entries({
      text: { stringValue: "a" },
      yes: { boolValue: true },
      whole: { intValue: "42" },
      wholeNumber: { intValue: 42 },
      tooBig: { intValue: "9223372036854775807" },
      double: { doubleValue: 0.5 },
      endless: { doubleValue: "-Infinity" },
      bytes: { bytesValue: "AQID" },
      list: { arrayValue: { values: [{ stringValue: "a" }, { intValue: "1" }, {}] } },
      noItems: { arrayValue: {} },
      map: { kvlistValue: { values: [{ key: "deep", value: { kvlistValue: { values: [] } } }] } },
      unset: {},
      null: { stringValue: null },
      __proto__: { stringValue: "lost by the object literal" },
    }).map(([key, value]) => ({ key, value }));
    attributes.push({ key: "__proto__", value: { stringValue: "own" } } as never);
    await send("/v1/traces", traces(span({ attributes })));
    const [received] = receiver.spans;
    expect(Object.entries(received!.attributes)).toEqual([
      ["text", "a"],
      ["yes", true],
      ["whole", 42],
      ["wholeNumber", 42],
      ["tooBig", "9223372036854775807"],
      ["double", 0.5],
      ["endless", Number.NEGATIVE_INFINITY],
      ["bytes", "AQID"],
      ["list", ["a", 1, undefined]],
      ["noItems", []],
      ["map", { deep: {} }],
      ["unset", undefined],
      ["null", undefined],
      ["__proto__", "own"],
    ]);
  });

  it("takes all five kinds of metric", async () => {
    const histogram = { count: "3", sum: 6, bucketCounts: ["1", 2], explicitBounds: [5] };
    const exponential = {
      count: 11,
      sum: 1,
      scale: 0,
      zeroCount: "1",
      positive: { offset: 1, bucketCounts: ["2", "1"] },
      negative: { bucketCounts: [2, 5] },
    };
    const body = metrics(
      { name: "g", gauge: { dataPoints: [{ asInt: "-7", timeUnixNano: "9" }] } },
      { name: "s", sum: { aggregationTemporality: 1, isMonotonic: true, dataPoints: [{ asDouble: 1.5 }] } },
      {
        name: "h",
        histogram: { aggregationTemporality: "AGGREGATION_TEMPORALITY_CUMULATIVE", dataPoints: [histogram] },
      },
      { name: "e", exponentialHistogram: { aggregationTemporality: 2, dataPoints: [exponential] } },
      { name: "q", summary: { dataPoints: [{ count: "4", sum: 2, quantileValues: [{ quantile: 0.5, value: 1 }] }] } },
    );
    expect((await send("/v1/metrics", body)).status).toBe(200);
    const brief = receiver.points.map(({ metric, kind, temporality, value, count, sum, bounds, bucketCounts }) => {
      return { metric, kind, temporality, value, count, sum, bounds, bucketCounts };
    });
    expect(brief).toEqual([
      { metric: "g", kind: "gauge", value: -7 },
      { metric: "s", kind: "sum", temporality: "delta", value: 1.5 },
      {
        metric: "h",
        kind: "histogram",
        temporality: "cumulative",
        count: 3,
        sum: 6,
        bounds: [5],
        bucketCounts: [1, 2],
      },
      {
        metric: "e",
        kind: "exponentialHistogram",
        temporality: "cumulative",
        count: 11,
        sum: 1,
        bounds: [-4, -2, -1, 2, 4, 8],
        bucketCounts: [0, 5, 2, 1, 2, 1, 0],
      },
      { metric: "q", kind: "summary", count: 4, sum: 2 },
    ]);
  });

  it("ignores unknown fields and takes an empty request", async () => {
    expect((await send("/v1/traces", "{}")).status).toBe(200);
    expect((await send("/v1/traces", traces(span({ fromTheFuture: { a: 1 } })))).status).toBe(200);
    expect(receiver.spans).toHaveLength(1);
  });
});

it("reads from protobuf the attribute values that the JavaScript exporters do not send", async () => {
  const attributes = [
    { key: "bytes", value: { bytesValue: Buffer.from([1, 2, 255]) } },
    { key: "map", value: { kvlistValue: { values: [{ key: "zero", value: { intValue: 0 } }] } } },
    { key: "unset" },
  ];
  const message = protobuf.Root.fromJSON(OTLP).lookupType("ExportTraceServiceRequest");
  const spans = [{ traceId: Buffer.alloc(16, 1), spanId: Buffer.alloc(8, 2), attributes }];
  const body = message.encode(message.fromObject({ resourceSpans: [{ scopeSpans: [{ spans }] }] })).finish();
  const answer = await send("/v1/traces", Buffer.from(body), { "content-type": "application/x-protobuf" });
  expect(answer.status).toBe(200);
  expect(receiver.spans[0]).toMatchObject({ traceId: "01".repeat(16), spanId: "02".repeat(8) });
  expect(receiver.spans[0]!.attributes).toEqual({ bytes: "AQL/", map: { zero: 0 }, unset: undefined });
});

describe("what a client hears", () => {
  it("is an empty response in its own encoding", async () => {
    for (const path of ["/v1/traces", "/v1/metrics", "/v1/logs"]) {
      expect(await send(path, "{}")).toEqual({ status: 200, type: JSON_TYPE, body: Buffer.from("{}") });
      const type = "application/x-protobuf";
      expect(await send(path, "", { "content-type": type })).toEqual({ status: 200, type, body: Buffer.from("") });
    }
  });

  it("takes a charset, deflate and gzip", async () => {
    const type = { "content-type": "Application/JSON; charset=utf-8" };
    const body = traces(span());
    expect((await send("/v1/traces", body, type)).status).toBe(200);
    expect((await send("/v1/traces", gzipSync(body), { ...type, "content-encoding": "gzip" })).status).toBe(200);
    expect((await send("/v1/traces", deflateSync(body), { ...type, "content-encoding": "deflate" })).status).toBe(200);
    expect(receiver.spans).toHaveLength(3);
  });

  it("counts log records and keeps none", async () => {
    const logRecords = [{ body: { stringValue: "a" } }, { body: { stringValue: "b" } }];
    await send("/v1/logs", JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] }));
    const message = protobuf.Root.fromJSON(OTLP).lookupType("ExportLogsServiceRequest");
    const sent = message.encode(message.fromObject({ resourceLogs: [{ scopeLogs: [{ logRecords: [{}] }] }] })).finish();
    await send("/v1/logs", Buffer.from(sent), { "content-type": "application/x-protobuf" });
    expect(receiver.logRecords).toBe(3);
    receiver.clear();
    expect(receiver.logRecords).toBe(0);
  });
});

describe("refusals", () => {
  it.each([
    ["not JSON", "{"],
    ["a list", "[]"],
    ["nothing", ""],
    ["spans that are no list", JSON.stringify({ resourceSpans: {} })],
    ["a span that is no object", traces("span" as never)],
    ["no trace id", traces({ spanId })],
    ["an id of zeros", traces(span({ spanId: "0000000000000000" }))],
    ["an id that is not hex", traces(span({ spanId: "b7ad6b716920333g" }))],
    ["a base64 id", traces(span({ traceId: "CvdlGRbNQ92ESOshHIAxnA==" }))],
    ["a time that is no integer", traces(span({ startTimeUnixNano: "soon" }))],
    ["an unknown enum name", traces(span({ kind: "INTERNAL" }))],
    ["a name that is no text", traces(span({ name: 7 }))],
    ["an attribute that is no number", traces(span({ attributes: [{ key: "a", value: { doubleValue: "x" } }] }))],
  ])("400 for %s, and nothing of the request is kept", async (_, body) => {
    const whole = body.includes('"spans":[') ? body.replace('"spans":[', `"spans":[${JSON.stringify(span())},`) : body;
    const { status, type, body: answer } = await send("/v1/traces", whole);
    expect({ status, type }).toEqual({ status: 400, type: JSON_TYPE });
    expect(JSON.parse(answer.toString())).toEqual({ code: 3, message: expect.stringMatching(/\w{4}/) });
    expect(receiver.spans).toEqual([]);
  });

  it("400 with a protobuf Status for unreadable protobuf", async () => {
    const type = "application/x-protobuf";
    const answer = await send("/v1/traces", Buffer.from([0x0a, 0xff, 0x01]), { "content-type": type });
    expect(answer).toMatchObject({ status: 400, type });
    const status = protobuf.Root.fromJSON(OTLP).lookupType("RpcStatus").decode(answer.body).toJSON();
    expect(status).toEqual({ code: 3, message: expect.stringContaining("cannot read the body") });
  });

  it("400 for a body that is not packed as it says", async () => {
    expect((await send("/v1/traces", traces(), { "content-encoding": "gzip" })).status).toBe(400);
  });

  it("404 for another path, 405 for another method, 415 for another type or packing", async () => {
    expect((await send("/v1/trace", "{}")).status).toBe(404);
    expect((await send("/toString", "{}")).status).toBe(404);
    const got = await fetch(`${receiver.endpoint}/v1/traces`);
    expect({ status: got.status, allow: got.headers.get("allow") }).toEqual({ status: 405, allow: "POST" });
    expect((await send("/v1/traces", "{}", { "content-type": "text/plain" })).status).toBe(415);
    expect((await send("/v1/traces", "{}", { "content-encoding": "zstd" })).status).toBe(415);
    expect((await send("/v1/traces?from=here", "{}")).status).toBe(200);
  });

  it("413 for more than 64 MiB, packed or not, and takes the next request", async () => {
    const tooMuch = Buffer.alloc(64 * 1024 * 1024 + 1, " ");
    expect((await send("/v1/traces", tooMuch)).status).toBe(413);
    expect((await send("/v1/traces", gzipSync(tooMuch, { level: 1 }), { "content-encoding": "gzip" })).status).toBe(
      413,
    );
    expect((await send("/v1/traces", traces(span()))).status).toBe(200);
  });
});

describe("the receiver itself", () => {
  it("says which port is taken", async () => {
    const port = Number(new URL(receiver.endpoint).port);
    await expect(startReceiver({ port })).rejects.toThrow(
      `toolspan: cannot listen on port ${port} of 127.0.0.1: another program uses it`,
    );
  });

  it("closes although a client holds its connection, and gives the port back", async () => {
    const other = await startReceiver();
    const port = Number(new URL(other.endpoint).port);
    const held = request({ port, host: "127.0.0.1", method: "POST", path: "/v1/traces" });
    const dropped = new Promise((resolve) => {
      held.on("error", resolve);
    });
    await new Promise((resolve) => {
      held.on("socket", (socket) => socket.on("connect", resolve));
      held.write("{");
    });
    await other.close();
    await dropped;
    const again = await startReceiver({ port });
    expect(again.endpoint).toBe(other.endpoint);
    await again.close();
  });
});
