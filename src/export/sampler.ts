import { diag } from "@opentelemetry/api";
import type { Sampler } from "@opentelemetry/sdk-trace";
import type { Environment } from "./environment.ts";
import { numberFrom, textFrom } from "./environment.ts";

/** The SDK's own samplers, of whichever line. */
export interface SamplerClasses {
  readonly AlwaysOnSampler: new () => Sampler;
  readonly AlwaysOffSampler: new () => Sampler;
  readonly TraceIdRatioBasedSampler: new (ratio: number) => Sampler;
  readonly ParentBasedSampler: new (options: { root: Sampler }) => Sampler;
}

/** `OTEL_TRACES_SAMPLER` and its argument, which the 3.x SDK does not read itself. */
export function samplerFrom(environment: Environment, classes: SamplerClasses): Sampler {
  const { AlwaysOnSampler, AlwaysOffSampler, TraceIdRatioBasedSampler, ParentBasedSampler } = classes;
  const samplers: Readonly<Record<string, () => Sampler>> = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratioFrom(environment)),
    parentbased_always_on: () => new ParentBasedSampler({ root: new AlwaysOnSampler() }),
    parentbased_always_off: () => new ParentBasedSampler({ root: new AlwaysOffSampler() }),
    parentbased_traceidratio: () =>
      new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratioFrom(environment)) }),
  };
  const chosen = textFrom(environment, "OTEL_TRACES_SAMPLER")?.toLowerCase() ?? DEFAULT_SAMPLER;
  const make = Object.hasOwn(samplers, chosen) ? samplers[chosen] : undefined;
  if (make) return make();
  diag.warn(`toolspan: OTEL_TRACES_SAMPLER="${chosen}" is not known; ${DEFAULT_SAMPLER} is used`);
  return samplers[DEFAULT_SAMPLER]!();
}

const DEFAULT_SAMPLER = "parentbased_always_on";

/** The specification: a ratio that cannot be used counts as 1. */
function ratioFrom(environment: Environment): number {
  const ratio = numberFrom(environment, ["OTEL_TRACES_SAMPLER_ARG"], 0) ?? 1;
  if (ratio <= 1) return ratio;
  diag.warn(`toolspan: OTEL_TRACES_SAMPLER_ARG must be between 0 and 1, not ${ratio}; 1 is used`);
  return 1;
}
