import type { Sampler, SpanProcessor } from "@opentelemetry/sdk-trace";

/** Whether there may be something new to flush. */
export interface Activity {
  /** Sees every span that starts, also those which are not sampled and only counted. */
  readonly watchSampler: (sampler: Sampler) => Sampler;
  /** Sees every sampled span that ends. */
  readonly processor: SpanProcessor;
  /** Whether anything happened since the last time this was asked. */
  takeNews(): boolean;
}

export function createActivity(): Activity {
  let news = true;
  return {
    watchSampler: (sampler) => ({
      shouldSample(...span) {
        news = true;
        return sampler.shouldSample(...span);
      },
      toString: () => sampler.toString(),
    }),
    processor: {
      onStart() {},
      onEnd() {
        news = true;
      },
      forceFlush: () => Promise.resolve(),
      shutdown: () => Promise.resolve(),
    },
    takeNews() {
      const had = news;
      news = false;
      return had;
    },
  };
}
