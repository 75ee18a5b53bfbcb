import { createRecorder, type Recorder, type RecorderOptions } from "../../src/index.ts";
import { type AdapterRecorder, createAdapterRecorder } from "../../src/span/recorder.ts";
import type { Settler } from "../../src/span/registry.ts";
import { type Traced, traced } from "./traced.ts";

/** A recorder with providers of its own. */
export interface Watched extends Traced {
  readonly recorder: Recorder;
}

export function watched(options: RecorderOptions = {}, providers: Traced = traced()): Watched {
  const { tracerProvider, meterProvider } = providers;
  return { ...providers, recorder: createRecorder({ tracerProvider, meterProvider, ...options }) };
}

/** The same as an adapter has it. */
export function watchedAdapter(
  options: RecorderOptions = {},
  settler?: Settler,
  providers: Traced = traced(),
): Traced & { readonly recorder: AdapterRecorder } {
  const { tracerProvider, meterProvider } = providers;
  return { ...providers, recorder: createAdapterRecorder({ tracerProvider, meterProvider, ...options }, settler) };
}

/** Options with a tracer that makes no span. */
export function failingTracer(): RecorderOptions {
  const startSpan = (): never => {
    throw new Error("no span");
  };
  return { tracerProvider: { getTracer: () => ({ startSpan, startActiveSpan: startSpan }) } };
}
