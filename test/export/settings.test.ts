import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { counted, useWorkshop } from "./run-app.ts";

const shop = useWorkshop();

const printed = async (code: string, environment: Record<string, string> = {}): Promise<unknown> => {
  const app = await shop.run(code, { environment });
  expect(app).toMatchObject({ code: 0, stderr: "" });
  return JSON.parse(app.stdout);
};
const states = `console.log(JSON.stringify([tracing.traces, tracing.metrics, said]));`;
const active = { active: true };
const reason = (kind: string): string => `a ${kind} provider is registered already; it is left alone`;

describe("what is switched off", () => {
  it("OTEL_SDK_DISABLED: nothing is registered, hooked or sent", async () => {
    const seen = await printed(
      `const tracing = await startTracing();
       runTools(3, 1);
       await tracing.flush();
       await tracing.shutdown();
       const hooks = ["beforeExit", "SIGTERM"].map((event) => process.listenerCount(event));
       console.log(JSON.stringify({ hooks, traces: tracing.traces, recording: trace.getTracer("a").startSpan("b").isRecording() }));`,
      { OTEL_SDK_DISABLED: "true" },
    );
    const traces = { active: false, reason: "OTEL_SDK_DISABLED is true" };
    expect(seen).toEqual({ hooks: [0, 0], traces, recording: false });
    expect([...shop.receiver.spans, ...shop.receiver.points]).toEqual([]);
  });

  it("OTEL_TRACES_EXPORTER=none: metrics alone, also of the runs still open at the end", async () => {
    const code = `const tracing = await startTracing(); runTools(2, 2); recorder.onToolStart({ key: "1", name: "a" }); ${states}`;
    const off = { active: false, reason: "OTEL_TRACES_EXPORTER is none" };
    expect(await printed(code, { OTEL_TRACES_EXPORTER: "none" })).toEqual([off, active, []]);
    expect(shop.receiver.spans).toEqual([]);
    expect(counted(shop.receiver)).toEqual({ runs: 3, failed: 1 });
  });

  it("OTEL_METRICS_EXPORTER=none: spans alone", async () => {
    const code = `const tracing = await startTracing(); runTools(2, 2); ${states}`;
    const off = { active: false, reason: "OTEL_METRICS_EXPORTER is none" };
    expect(await printed(code, { OTEL_METRICS_EXPORTER: "none" })).toEqual([active, off, []]);
    expect(shop.receiver.spans).toHaveLength(2);
    expect(shop.receiver.points).toEqual([]);
  });
});

describe("a provider that is registered already", () => {
  it("is left alone, said once, and flushed with the rest", async () => {
    const seen = await printed(`
      import { InMemorySpanExporter, NodeTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-node";
      const exporter = new InMemorySpanExporter();
      const provider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] });
      provider.register();
      const tracing = await startTracing();
      runTools(2, 2);
      await tracing.flush();
      const flushed = exporter.getFinishedSpans().length;
      recorder.onToolStart({ key: "1", name: "search" });
      await tracing.shutdown();
      const untouched = trace.getTracerProvider().getDelegate() === provider;
      recorder.onToolEnd("1", "found");
      await provider.forceFlush();
      const outcomes = exporter.getFinishedSpans().map((span) => span.attributes["toolspan.outcome"]);
      console.log(JSON.stringify([tracing.traces, tracing.metrics, said, flushed, untouched, outcomes]));`);
    const traces = { active: false, reason: reason("tracer") };
    const said = [`toolspan: ${reason("tracer")}`];
    expect(seen).toEqual([traces, active, said, 2, true, ["error", "ok", "ok"]]);
    expect(shop.receiver.spans).toEqual([]);
    expect(counted(shop.receiver)).toEqual({ runs: 2, failed: 1 });
  });

  it("the meter provider on its own", async () => {
    const seen = await printed(`
      import { MeterProvider } from "@opentelemetry/sdk-metrics";
      const provider = new MeterProvider();
      metrics.setGlobalMeterProvider(provider);
      const tracing = await startTracing();
      runTools(1);
      await tracing.shutdown();
      console.log(JSON.stringify([tracing.traces, tracing.metrics, said, metrics.getMeterProvider() === provider]));`);
    const metrics = { active: false, reason: reason("meter") };
    expect(seen).toEqual([active, metrics, [`toolspan: ${reason("meter")}`], true]);
    expect(shop.receiver.spans).toHaveLength(1);
    expect(shop.receiver.points).toEqual([]);
  });

  it("a context manager and a propagator of the application's own stay in place", async () => {
    const seen = await printed(`
      import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
      const propagator = { inject() {}, extract: (from) => from, fields: () => ["own"] };
      propagation.setGlobalPropagator(propagator);
      const manager = new AsyncLocalStorageContextManager().enable();
      context.setGlobalContextManager(manager);
      const tracing = await startTracing();
      await tracing.shutdown();
      const key = Symbol("key");
      const managed = context.with(context.active().setValue(key, true), () => manager.active().getValue(key));
      console.log(JSON.stringify([tracing.traces, propagation.fields(), managed, said]));`);
    expect(seen).toEqual([active, ["own"], true, []]);
  });

  it("a second startTracing leaves the first alone", async () => {
    const seen = await printed(
      `const [first, tracing] = await Promise.all([startTracing(), startTracing()]);
       runTools(1);
       await tracing.shutdown();
       runTools(1);
       console.log(JSON.stringify([first.traces, tracing.traces.active]));`,
    );
    expect(seen).toEqual([active, false]);
    expect(shop.receiver.spans).toHaveLength(2);
  });
});

describe("the resource", () => {
  it("names the service after the application's package.json, with the SDK and the process", async () => {
    await shop.run(`await startTracing(); runTools(1);`, {
      environment: { OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test" },
    });
    const expected = {
      "service.name": "travel-desk",
      "telemetry.sdk.language": "nodejs",
      "process.pid": expect.any(Number),
      "deployment.environment.name": "test",
    };
    expect(shop.receiver.spans[0]!.resource).toMatchObject(expected);
    expect(shop.receiver.points[0]!.resource).toMatchObject(expected);
  });

  it("each process has an id of its own, the same on spans and metrics, unless the environment names one", async () => {
    const code = `await startTracing(); runTools(1);`;
    const first = shop.receiver.spans.length;
    await shop.run(code);
    await shop.run(code);
    await shop.run(code, { environment: { OTEL_RESOURCE_ATTRIBUTES: "service.instance.id=desk-7" } });
    const ids = shop.receiver.spans.slice(first).map(({ resource }) => resource["service.instance.id"]);
    expect(ids).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), expect.stringMatching(/^[0-9a-f-]{36}$/), "desk-7"]);
    expect(ids[0]).not.toBe(ids[1]);
    expect(shop.receiver.points.map(({ resource }) => resource["service.instance.id"])).toEqual(
      expect.arrayContaining(ids),
    );
  });

  it.each([
    ["OTEL_RESOURCE_ATTRIBUTES over package.json", "{}", {}, "attributes"],
    ["OTEL_SERVICE_NAME over those", "{}", { OTEL_SERVICE_NAME: "variable" }, "variable"],
    ["the option over all", `{ serviceName: "option" }`, { OTEL_SERVICE_NAME: "variable" }, "option"],
  ])("%s", async (_, options, environment, name) => {
    await shop.run(`await startTracing(${options}); runTools(1);`, {
      environment: { OTEL_RESOURCE_ATTRIBUTES: "service.name=attributes", ...environment },
    });
    expect(shop.receiver.spans[0]!.resource["service.name"]).toBe(name);
  });
});

describe("where and how it is sent", () => {
  it("endpoint, headers, compression: the option's endpoint wins, headers add up, the signal's variable wins", async () => {
    const requests: { path: string; team: unknown; user: unknown; encoding: unknown }[] = [];
    const server = createServer((request, response) => {
      const { team, user, "content-encoding": encoding } = request.headers;
      requests.push({ path: request.url!, team, user, encoding });
      request.resume().on("end", () => response.writeHead(200, { "content-type": "application/json" }).end("{}"));
    });
    await new Promise<void>((listening) => {
      server.listen(0, "127.0.0.1", listening);
    });
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/base/`;
    await shop.run(`await startTracing({ endpoint: "${endpoint}", headers: { user: "ada" } }); runTools(1);`, {
      environment: {
        OTEL_EXPORTER_OTLP_HEADERS: "team=blue",
        OTEL_EXPORTER_OTLP_METRICS_HEADERS: "team=red",
        OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
      },
    });
    server.close();
    const sorted = requests.toSorted((one, other) => one.path.localeCompare(other.path));
    expect(sorted).toEqual([
      { path: "/base/v1/metrics", team: "red", user: "ada", encoding: "gzip" },
      { path: "/base/v1/traces", team: "blue", user: "ada", encoding: "gzip" },
    ]);
  });

  it("span limits and the sampler are the environment's", async () => {
    const app = `
      await startTracing();
      trace.getTracer("app").startSpan("a", { attributes: { long: "0123456789", more: 1, most: 2 } }).end();`;
    const limits = { OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT: "4", OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT: "2" };
    await shop.run(app, { environment: limits });
    expect(shop.receiver.spans.map(({ attributes }) => attributes)).toEqual([{ long: "0123", more: 1 }]);
    await shop.run(app, { environment: { OTEL_TRACES_SAMPLER: "always_off" } });
    expect(shop.receiver.spans).toHaveLength(1);
  });

  it("metrics are sent at OTEL_METRIC_EXPORT_INTERVAL", async () => {
    const code = `
      await startTracing();
      runTools(1);
      setTimeout(() => {}, 1000);`;
    await shop.run(code, { environment: { OTEL_METRIC_EXPORT_INTERVAL: "200" } });
    expect(shop.receiver.points.length).toBeGreaterThan(2);
  });

  it("W3C trace context and baggage are propagated, and spans made inside a tool are its children", async () => {
    const seen = await printed(`
      await startTracing();
      const carrier = {};
      await recorder.run({ name: "search" }, async () => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        trace.getTracer("http").startSpan("GET").end();
        const bag = propagation.createBaggage({ tenant: { value: "acme" } });
        propagation.inject(propagation.setBaggage(context.active(), bag), carrier);
      });
      console.log(JSON.stringify(carrier));`);
    const [child, tool] = shop.receiver.spans;
    expect(child).toMatchObject({ name: "GET", parentSpanId: tool!.spanId, traceId: tool!.traceId });
    expect(seen).toEqual({ traceparent: `00-${tool!.traceId}-${tool!.spanId}-01`, baggage: "tenant=acme" });
  });
});

it("without the SDK's packages the error holds the command that installs them", () => {
  const folder = mkdtempSync(join(tmpdir(), "toolspan-bare-"));
  try {
    const api = "node_modules/@opentelemetry/api";
    mkdirSync(join(folder, "node_modules/@opentelemetry"), { recursive: true });
    cpSync(api, join(folder, api), { recursive: true, dereference: true });
    cpSync(shop.dist, join(folder, "dist"), { recursive: true });
    writeFileSync(join(folder, "package.json"), `{ "type": "module" }`);
    writeFileSync(
      join(folder, "app.js"),
      `import { startTracing } from "./dist/export/node.js";
       await startTracing().catch((error) => console.log(error.message));`,
    );
    const said = execFileSync(process.execPath, ["app.js"], { cwd: folder, encoding: "utf8" });
    expect(said).toMatch(
      /^toolspan: startTracing needs OpenTelemetry's SDK packages\. Install them: npm install @opente/,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
