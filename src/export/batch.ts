import type { BatchSpanProcessorOptions } from "@opentelemetry/sdk-trace";
import type { Environment } from "./environment.ts";
import { numberFrom } from "./environment.ts";

export interface Batch {
  readonly processor: Omit<BatchSpanProcessorOptions, "exporter">;
  /** The most spans in one request. */
  readonly requestSize: number;
}

/**
 * `OTEL_BSP_*`, which the 3.x SDK does not read itself. The queue is larger than the standard's 2048: nothing is exported
 * within one tick, so an agent that ends 5,000 tool runs in one would lose more than half of their spans. The processor
 * takes it whole each time; `inRequests` makes the requests of it and says why.
 */
export function batchFrom(environment: Environment): Batch {
  const maxQueueSize = numberFrom(environment, ["OTEL_BSP_MAX_QUEUE_SIZE"], 1) ?? 32_768;
  return {
    processor: {
      maxQueueSize,
      maxExportBatchSize: maxQueueSize,
      scheduledDelayMillis: numberFrom(environment, ["OTEL_BSP_SCHEDULE_DELAY"], 0) ?? 5000,
      exportTimeoutMillis: numberFrom(environment, ["OTEL_BSP_EXPORT_TIMEOUT"], 1) ?? 30_000,
    },
    requestSize: numberFrom(environment, ["OTEL_BSP_MAX_EXPORT_BATCH_SIZE"], 1) ?? 512,
  };
}
