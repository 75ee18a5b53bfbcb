import * as api from "@opentelemetry/api";
import { context, propagation, trace } from "@opentelemetry/api";
import type * as metricExporter from "@opentelemetry/exporter-metrics-otlp-http";
import type * as traceExporter from "@opentelemetry/exporter-trace-otlp-http";
import type * as resources from "@opentelemetry/resources";
import type * as metrics from "@opentelemetry/sdk-metrics";
import type {
  BatchSpanProcessorOptions,
  SpanProcessor,
  TracerProvider,
  TracerProviderOptions,
} from "@opentelemetry/sdk-trace";
import { installLine } from "./install-line.ts";
import type { Free } from "./registered.ts";
import type { SamplerClasses } from "./sampler.ts";

/** What differs between the two lines of the trace SDK. */
export interface TraceSdk {
  readonly samplers: SamplerClasses;
  createBatchSpanProcessor(options: BatchSpanProcessorOptions): SpanProcessor;
  createTracerProvider(options: TracerProviderOptions): TracerProvider;
  /** Makes the provider the global one, with W3C propagation and a context manager where there is none yet. */
  register(provider: TracerProvider, free: Free): void;
}

/** The packages, of whichever line is installed. */
export interface Sdk {
  readonly traces: TraceSdk;
  readonly metrics: typeof metrics;
  readonly resources: typeof resources;
  readonly traceExporter: typeof traceExporter;
  readonly metricExporter: typeof metricExporter;
}

/** @throws {Error} with the command that installs what is missing */
export async function loadSdk(): Promise<Sdk> {
  try {
    return {
      traces: await loadTraceSdk(),
      metrics: await import("@opentelemetry/sdk-metrics"),
      resources: await import("@opentelemetry/resources"),
      traceExporter: await import("@opentelemetry/exporter-trace-otlp-http"),
      metricExporter: await import("@opentelemetry/exporter-metrics-otlp-http"),
    };
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new Error(`toolspan: startTracing needs OpenTelemetry's SDK packages. Install them: ${installLine()}`, {
      cause: error,
    });
  }
}

/** Beside the API of the 3.x line, which has logs, a package of the 2.x line is there by another's doing. */
async function loadTraceSdk(): Promise<TraceSdk> {
  const [first, second] = "logs" in api ? [load3x, load2x] : [load2x, load3x];
  try {
    return await first();
  } catch (error) {
    if (!isMissing(error)) throw error;
    return second();
  }
}

async function load2x(): Promise<TraceSdk> {
  const sdk = await import("@opentelemetry/sdk-trace-node");
  return {
    samplers: sdk,
    createBatchSpanProcessor: ({ exporter, ...batch }) => new sdk.BatchSpanProcessor(exporter, batch),
    createTracerProvider: (options) => new sdk.NodeTracerProvider(options),
    register(provider, free) {
      (provider as InstanceType<typeof sdk.NodeTracerProvider>).register({
        ...(free.contextManager ? {} : { contextManager: null }),
        ...(free.propagator ? {} : { propagator: null }),
      });
    },
  };
}

async function load3x(): Promise<TraceSdk> {
  const [sdk, { AsyncLocalStorageContextManager }, core] = await Promise.all([
    import("@opentelemetry/sdk-trace"),
    import("@opentelemetry/context-async-hooks"),
    import("@opentelemetry/core"),
  ]);
  return {
    samplers: sdk,
    createBatchSpanProcessor: (options) => new sdk.BatchSpanProcessor(options),
    createTracerProvider: (options) => new sdk.TracerProvider(options),
    register(provider, free) {
      trace.setGlobalTracerProvider(provider);
      if (free.contextManager) context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
      if (!free.propagator) return;
      const propagators = [new core.W3CTraceContextPropagator(), new core.W3CBaggagePropagator()];
      propagation.setGlobalPropagator(new core.CompositePropagator({ propagators }));
    },
  };
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND";
}
