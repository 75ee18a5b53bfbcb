import { diag } from "@opentelemetry/api";

/** The process's environment; the OpenTelemetry specification says how its variables are read. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A variable that is empty counts as not set. */
export function textFrom(environment: Environment, name: string): string | undefined {
  return environment[name]?.trim() || undefined;
}

/** The first of these variables that holds a number of at least `least`; others are told to `diag` and passed over. */
export function numberFrom(environment: Environment, names: readonly string[], least: number): number | undefined {
  for (const name of names) {
    const text = textFrom(environment, name);
    if (text === undefined) continue;
    const number = Number(text);
    if (number >= least) return number;
    diag.warn(`toolspan: ${name} must be a number of at least ${least}, not "${text}"; it is ignored`);
  }
  return undefined;
}

/** `OTEL_SDK_DISABLED=true` switches everything off. */
export function isSdkDisabled(environment: Environment): boolean {
  return textFrom(environment, "OTEL_SDK_DISABLED")?.toLowerCase() === "true";
}

/** `OTEL_TRACES_EXPORTER=none` and `OTEL_METRICS_EXPORTER=none` switch one signal off; anything else is sent by OTLP. */
export function isExporterNone(environment: Environment, signal: "TRACES" | "METRICS"): boolean {
  const chosen = textFrom(environment, `OTEL_${signal}_EXPORTER`)?.toLowerCase() ?? "otlp";
  if (chosen !== "none" && chosen !== "otlp") {
    diag.warn(`toolspan: OTEL_${signal}_EXPORTER="${chosen}" is not offered by startTracing; OTLP is used`);
  }
  return chosen === "none";
}
