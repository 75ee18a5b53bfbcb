import type { MeterProvider, TracerProvider } from "@opentelemetry/api";
import {
  context,
  createContextKey,
  createNoopMeter,
  metrics,
  propagation,
  ProxyTracerProvider,
  trace,
} from "@opentelemetry/api";

/** Which of the process's globals nobody has set yet. */
export interface Free {
  readonly tracerProvider: boolean;
  readonly meterProvider: boolean;
  readonly contextManager: boolean;
  readonly propagator: boolean;
}

/** The API refuses a second registration with an error in `diag`, so it is asked first. */
export function freeGlobals(): Free {
  const probe = createContextKey("toolspan probe");
  const active = context.active().setValue(probe, true);
  return {
    tracerProvider: registeredTracerProvider() === new ProxyTracerProvider().getDelegate(),
    meterProvider: isNoopMeter(metrics.getMeterProvider()),
    contextManager: context.with(active, () => context.active().getValue(probe)) !== true,
    propagator: propagation.fields().length === 0,
  };
}

/** The SDK's provider behind the API's proxy. */
export function registeredTracerProvider(): TracerProvider {
  const provider = trace.getTracerProvider() as Partial<ProxyTracerProvider> & TracerProvider;
  return provider.getDelegate?.() ?? provider;
}

/** Flushes what others registered, as far as their SDK has a flush. */
export async function flushForeign(free: Free): Promise<void> {
  const foreign: Flushable[] = [];
  if (!free.tracerProvider) foreign.push(registeredTracerProvider());
  if (!free.meterProvider) foreign.push(metrics.getMeterProvider());
  await Promise.all(foreign.map((provider) => provider.forceFlush?.()));
}

/** The API's provider types do not have what every SDK's provider has. */
type Flushable = (TracerProvider | MeterProvider) & { readonly forceFlush?: () => Promise<void> };

function isNoopMeter(provider: MeterProvider): boolean {
  return provider.getMeter("toolspan").constructor === createNoopMeter().constructor;
}

/** Takes back what was registered, unless somebody has put something else in its place. */
export function releaseGlobals(
  free: Free,
  tracerProvider: TracerProvider | undefined,
  meterProvider: MeterProvider | undefined,
): void {
  if (tracerProvider && registeredTracerProvider() === tracerProvider) {
    trace.disable();
    if (free.contextManager) context.disable();
    if (free.propagator) propagation.disable();
  }
  if (meterProvider && metrics.getMeterProvider() === meterProvider) metrics.disable();
}
