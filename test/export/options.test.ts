import { diag, DiagLogLevel } from "@opentelemetry/api";
import * as samplers from "@opentelemetry/sdk-trace-node";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { batchFrom } from "../../src/export/batch.ts";
import { exporterConfig } from "../../src/export/exporter.ts";
import { installLine } from "../../src/export/install-line.ts";
import { startTracing } from "../../src/export/node.ts";
import { samplerFrom } from "../../src/export/sampler.ts";
import { spanLimitsFrom } from "../../src/export/span-limits.ts";

const said = vi.fn<(message: string) => void>();
beforeEach(() => {
  said.mockClear();
  diag.setLogger({ error: said, warn: said, info: said, debug: said, verbose: said }, DiagLogLevel.WARN);
});
afterEach(() => diag.disable());

describe("options that cannot work", () => {
  it.each([
    [{ endpiont: "http://a" }, `toolspan: unknown option "endpiont"; known are serviceName, endpoint, headers, flush`],
    [{ serviceName: " " }, `toolspan: option "serviceName" must be a text, not " "`],
    [{ endpoint: "localhost:4318" }, `toolspan: option "endpoint" must be an address such as "http://localhost:4318"`],
    [{ endpoint: "http://" }, `toolspan: option "endpoint" must be an address`],
    [{ endpoint: "http://a:4318/v1/traces" }, `must be the base address, without "/v1/traces"`],
    [{ headers: { authorization: 1 } }, `toolspan: option "headers" must be an object of texts`],
    [{ headers: null }, `toolspan: option "headers" must be an object of texts`],
    [{ flushTimeoutMs: 0 }, `toolspan: option "flushTimeoutMs" must be a whole number above 0, not 0`],
    [null, "toolspan: options must be an object, not null"],
  ])("%o", async (options, message) => {
    const error: unknown = await startTracing(options as never).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TypeError);
    expect((error as Error).message).toContain(message);
  });
});

describe("the sampler", () => {
  it.each([
    [undefined, undefined, "ParentBased{root=AlwaysOnSampler"],
    ["always_on", undefined, "AlwaysOnSampler"],
    ["ALWAYS_OFF", undefined, "AlwaysOffSampler"],
    ["traceidratio", "0.25", "TraceIdRatioBased{0.25}"],
    ["parentbased_traceidratio", "0.25", "ParentBased{root=TraceIdRatioBased{0.25}"],
    ["parentbased_always_off", undefined, "ParentBased{root=AlwaysOffSampler"],
    ["traceidratio", undefined, "TraceIdRatioBased{1}"],
  ])("OTEL_TRACES_SAMPLER=%s, argument %s", (name, argument, expected) => {
    const environment = { OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: argument };
    expect(samplerFrom(environment, samplers).toString()).toContain(expected);
    expect(said).not.toHaveBeenCalled();
  });

  it.each([
    ["sometimes", undefined, "ParentBased{root=AlwaysOnSampler"],
    ["toString", undefined, "ParentBased{root=AlwaysOnSampler"],
    ["traceidratio", "2", "TraceIdRatioBased{1}"],
    ["traceidratio", "-1", "TraceIdRatioBased{1}"],
    ["traceidratio", "half", "TraceIdRatioBased{1}"],
  ])("says what it cannot use: %s, %s", (name, argument, expected) => {
    const environment = { OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: argument };
    expect(samplerFrom(environment, samplers).toString()).toContain(expected);
    expect(said).toHaveBeenCalledOnce();
  });
});

describe("the batch", () => {
  it("holds a large burst by default", () => {
    expect(batchFrom({})).toEqual({
      processor: {
        maxQueueSize: 32_768,
        maxExportBatchSize: 32_768,
        scheduledDelayMillis: 5000,
        exportTimeoutMillis: 30_000,
      },
      requestSize: 512,
    });
  });

  it("is the environment's, an empty or impossible value aside", () => {
    const environment = {
      OTEL_BSP_MAX_QUEUE_SIZE: "100",
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "",
      OTEL_BSP_SCHEDULE_DELAY: "0",
      OTEL_BSP_EXPORT_TIMEOUT: "soon",
    };
    expect(batchFrom(environment)).toEqual({
      processor: { maxQueueSize: 100, maxExportBatchSize: 100, scheduledDelayMillis: 0, exportTimeoutMillis: 30_000 },
      requestSize: 512,
    });
    expect(said).toHaveBeenCalledExactlyOnceWith(expect.stringContaining("OTEL_BSP_EXPORT_TIMEOUT must be a number"));
  });
});

it("span limits: the span's own variable wins over the general one", () => {
  const environment = {
    OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT: "10",
    OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT: "20",
    OTEL_ATTRIBUTE_COUNT_LIMIT: "30",
    OTEL_SPAN_LINK_COUNT_LIMIT: "many",
  };
  expect(spanLimitsFrom(environment)).toEqual({ attributeValueLengthLimit: 10, attributeCountLimit: 30 });
  expect(said).toHaveBeenCalledOnce();
});

describe("the exporter", () => {
  it("leaves the standard variables to the exporter, and bounds an export by the flush's time", () => {
    expect(exporterConfig("traces", {}, 3000, {})).toEqual({ timeoutMillis: 3000 });
  });

  it("takes the timeout of the environment, the signal's first", () => {
    const environment = { OTEL_EXPORTER_OTLP_TIMEOUT: "10000", OTEL_EXPORTER_OTLP_METRICS_TIMEOUT: "2000" };
    expect(exporterConfig("traces", {}, 3000, environment).timeoutMillis).toBe(10_000);
    expect(exporterConfig("metrics", {}, 3000, environment).timeoutMillis).toBe(2000);
  });

  it.each(["http://a:4318", "http://a:4318/"])("appends the signal's path to %s", (endpoint) => {
    expect(exporterConfig("metrics", { endpoint }, 1, {}).url).toBe("http://a:4318/v1/metrics");
  });

  it("says that gRPC is not what it speaks", () => {
    exporterConfig("traces", {}, 1, { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" });
    expect(said).toHaveBeenCalledExactlyOnceWith(expect.stringContaining("not by gRPC"));
    exporterConfig("metrics", {}, 1, { OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf" });
    expect(said).toHaveBeenCalledOnce();
  });
});

it("the install line fits the Node and the API that are there", () => {
  const line2x = /^npm install @opentelemetry\/api@~1\.9\.1 .*sdk-trace-node@\^2/;
  const line3x = /^npm install @opentelemetry\/api@~1\.10\.0 .*sdk-trace@\^3/;
  expect(installLine("20.19.0", false)).toMatch(line2x);
  expect(installLine("24.1.0", false)).toMatch(line2x);
  expect(installLine("24.1.0", true)).toMatch(line3x);
  expect(installLine("22.15.0", true)).toMatch(line3x);
  expect(installLine("22.14.0", true)).toMatch(line2x);
  expect(installLine("20.19.0", true)).toMatch(line2x);
});
