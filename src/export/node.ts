import type { MeterProvider, TracerProvider } from "@opentelemetry/api";
import { metrics, trace } from "@opentelemetry/api";
import type { Guard } from "../span/guard.ts";
import { createGuard } from "../span/guard.ts";
import { closeOpenRuns } from "../span/recorder.ts";
import { createActivity } from "./activity.ts";
import { isExporterNone, isSdkDisabled } from "./environment.ts";
import { hookExit } from "./exit-hooks.ts";
import { bounded } from "./flush.ts";
import { createMetrics, createTraces } from "./providers.ts";
import { flushForeign, freeGlobals, releaseGlobals } from "./registered.ts";
import { loadSdk } from "./sdk.ts";
import type { TracingOptions } from "./tracing-options.ts";
import { checkTracingOptions, DEFAULT_FLUSH_TIMEOUT_MS } from "./tracing-options.ts";

export type { TracingOptions } from "./tracing-options.ts";

/** Whether `startTracing` set this signal up, and if not, why. */
export type SignalState = { readonly active: true } | { readonly active: false; readonly reason: string };

/** What `startTracing` set up. */
export interface Tracing {
  /** The global tracer provider, whoever registered it. */
  readonly tracerProvider: TracerProvider;
  /** The global meter provider, whoever registered it. */
  readonly meterProvider: MeterProvider;
  readonly traces: SignalState;
  readonly metrics: SignalState;
  /**
   * Sends what has ended so far and closes nothing. Takes at most `flushTimeoutMs` and never rejects; what fails is told to
   * OpenTelemetry's `diag`. Await it before `process.exit()`, before a function is frozen (serverless), and where a crash is
   * caught: nothing else can save the spans there.
   */
  flush(): Promise<void>;
  /**
   * Closes the tool runs still open as `abandoned`, sends everything, and gives the globals back. Takes at most
   * `flushTimeoutMs`, never rejects, and may be called twice. Providers which others registered are only flushed.
   */
  shutdown(): Promise<void>;
}

/**
 * Sets OpenTelemetry up for an application that has no SDK of its own: spans and metrics leave by OTLP/HTTP, with W3C
 * propagation, and the standard `OTEL_*` variables are honoured on both lines of the SDK. A signal that has a provider
 * already is left alone; `traces` and `metrics` say so.
 *
 * The last spans are sent when the script ends by itself, and on SIGTERM and SIGINT, where the process then ends as it would
 * have without this; where the application listens for the signal itself, the end is left to it. `process.exit()` and
 * crashes are not hooked: only an awaited `flush()` before them saves what has not been sent.
 *
 * @throws {TypeError} beginning with `toolspan:`, for an option that cannot work
 * @throws {Error} with the command to run, where the SDK's packages are not installed
 * @example
 * const tracing = await startTracing({ serviceName: "travel-desk" });
 * await agent.invoke(input, { callbacks: [new ToolspanHandler()] });
 * await tracing.flush();
 */
export async function startTracing(options: TracingOptions = {}): Promise<Tracing> {
  checkTracingOptions(options);
  if (isSdkDisabled(process.env)) return disabled();
  const setUp = {
    sdk: await loadSdk(),
    options,
    flushTimeoutMs: options.flushTimeoutMs ?? DEFAULT_FLUSH_TIMEOUT_MS,
  };
  const guard = createGuard();
  const free = freeGlobals();
  const states = {
    traces: signalState("tracer", free.tracerProvider, "TRACES", guard),
    metrics: signalState("meter", free.meterProvider, "METRICS", guard),
  };
  const activity = createActivity();
  const traces = states.traces.active ? createTraces(setUp, activity, free) : undefined;
  const points = states.metrics.active ? createMetrics(setUp) : undefined;
  const own = [traces, points].filter((signal) => signal !== undefined);
  const within = (what: string, steps: readonly (() => Promise<unknown>)[]): Promise<void> =>
    bounded(what, [...steps, () => flushForeign(free)], setUp.flushTimeoutMs, guard);

  const flush = (): Promise<void> =>
    within(
      "the flush of spans and metrics",
      own.map((signal) => () => signal.flush()),
    );
  const closeOwnRuns = (): void => {
    if (free.tracerProvider) closeOpenRuns(trace.getTracerProvider());
  };
  const unhook =
    own.length > 0 ? hookExit({ closeOpenRuns: closeOwnRuns, flush, takeNews: activity.takeNews }) : nothing;
  const shutdown = async (): Promise<void> => {
    unhook();
    closeOwnRuns();
    await within(
      "the shutdown of tracing",
      own.map((signal) => () => signal.shutdown()),
    );
    releaseGlobals(free, traces?.provider, points?.provider);
  };
  return { ...globals(), ...states, flush, shutdown: once(shutdown) };
}

function nothing(): void {}

function globals(): Pick<Tracing, "tracerProvider" | "meterProvider"> {
  return { tracerProvider: trace.getTracerProvider(), meterProvider: metrics.getMeterProvider() };
}

function signalState(kind: string, isFree: boolean, signal: "TRACES" | "METRICS", guard: Guard): SignalState {
  if (!isFree) {
    const reason = `a ${kind} provider is registered already; it is left alone`;
    guard.warn(signal, reason);
    return { active: false, reason };
  }
  if (isExporterNone(process.env, signal)) return { active: false, reason: `OTEL_${signal}_EXPORTER is none` };
  return { active: true };
}

function disabled(): Tracing {
  const state: SignalState = { active: false, reason: "OTEL_SDK_DISABLED is true" };
  return { ...globals(), traces: state, metrics: state, flush: async () => {}, shutdown: async () => {} };
}

function once(body: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= body());
}
