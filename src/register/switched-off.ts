/**
 * Whether the standard variables leave nothing to do. It has no imports, so that an application which is switched off loads
 * nothing of OpenTelemetry.
 */
export function isSwitchedOff(environment: Readonly<Record<string, string | undefined>>): boolean {
  const is = (name: string, word: string): boolean => environment[name]?.trim().toLowerCase() === word;
  return is("OTEL_SDK_DISABLED", "true") || (is("OTEL_TRACES_EXPORTER", "none") && is("OTEL_METRICS_EXPORTER", "none"));
}
