import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace-node";
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";
import { expect, it } from "vitest";
import { inRequests } from "../../src/export/request-size.ts";

function someSpans(count: number): ReadableSpan[] {
  const memory = new InMemorySpanExporter();
  const tracer = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(memory)] }).getTracer("test");
  for (let index = 0; index < count; index += 1) tracer.startSpan(String(index)).end();
  return memory.getFinishedSpans();
}

interface Requests extends SpanExporter {
  readonly sizes: number[];
  readonly names: string[];
  most: number;
}

/** Answers each request a moment later: with success, or with the error that `fails` has for it. */
function requests(fails: (request: number) => Error | undefined = () => undefined): Requests {
  let open = 0;
  const exporter: Requests = {
    sizes: [],
    names: [],
    most: 0,
    export(spans, done) {
      const error = fails(exporter.sizes.push(spans.length));
      exporter.names.push(...spans.map(({ name }) => name));
      exporter.most = Math.max(exporter.most, (open += 1));
      setTimeout(() => {
        open -= 1;
        done(error ? { code: 1, error } : { code: 0 });
      }, 5);
    },
    shutdown: () => Promise.resolve(),
  };
  return exporter;
}

const sent = (exporter: SpanExporter, spans: ReadableSpan[]): Promise<{ code: number; error?: Error }> =>
  new Promise((resolve) => {
    exporter.export(spans, resolve);
  });

it("sends every span once, in few requests at a time", async () => {
  const inner = requests();
  expect(await sent(inRequests(inner, 3), someSpans(20))).toEqual({ code: 0 });
  expect(inner.sizes).toEqual([3, 3, 3, 3, 3, 3, 2]);
  expect(inner.names.toSorted()).toEqual(Array.from({ length: 20 }, (_, index) => String(index)).toSorted());
  expect(inner.most).toBe(4);
});

it("ends the batch at the first request without an answer", async () => {
  const error = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
  const inner = requests(() => error);
  expect(await sent(inRequests(inner, 1), someSpans(100))).toEqual({ code: 1, error });
  expect(inner.sizes).toHaveLength(4);
});

it("goes on after a request that was refused by its HTTP status, and reports it", async () => {
  const error = Object.assign(new Error("too large"), { code: 413 });
  const inner = requests((request) => (request === 2 ? error : undefined));
  expect(await sent(inRequests(inner, 1), someSpans(10))).toEqual({ code: 1, error });
  expect(inner.sizes).toHaveLength(10);
});

it("reports an exporter that throws", async () => {
  const error = new Error("cannot serialize");
  const inner: SpanExporter = {
    ...requests(),
    export() {
      throw error;
    },
  };
  expect(await sent(inRequests(inner, 1), someSpans(10))).toEqual({ code: 1, error });
});

it("forceFlush and shutdown wait for all requests of the batch", async () => {
  for (const method of ["forceFlush", "shutdown"] as const) {
    const inner = requests();
    const exporter = inRequests(inner, 1);
    let done = false;
    exporter.export(someSpans(20), () => {
      done = true;
    });
    await exporter[method]!();
    expect({ done, requests: inner.sizes.length }).toEqual({ done: true, requests: 20 });
  }
});
