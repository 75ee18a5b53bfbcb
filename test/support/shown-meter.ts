import type { Attributes, Context, MeterProvider } from "@opentelemetry/api";

export interface ShownPoint {
  readonly name: string;
  readonly value: number;
  readonly attributes: Attributes;
  readonly context: Context;
}

/** A meter provider that shows what the metrics API is handed: labels with no value and the context are not exported. */
export function shownMeter() {
  const points: ShownPoint[] = [];
  let histograms = 0;
  const createHistogram = (name: string) => {
    histograms++;
    return {
      record: (value: number, attributes: Attributes, context: Context) =>
        void points.push({ name, value, attributes, context }),
    };
  };
  const meterProvider = { getMeter: () => ({ createHistogram }) } as unknown as MeterProvider;
  return { meterProvider, points, histograms: () => histograms };
}
