import { createRecorder, type Recorder, type RecorderOptions } from "../../src/index.ts";
import { type Traced, traced } from "./traced.ts";

/** A recorder with providers of its own. */
export interface Watched extends Traced {
  readonly recorder: Recorder;
}

export function watched(options: RecorderOptions = {}, providers: Traced = traced()): Watched {
  const { tracerProvider, meterProvider } = providers;
  return { ...providers, recorder: createRecorder({ tracerProvider, meterProvider, ...options }) };
}
