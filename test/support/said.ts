import { diag, DiagLogLevel } from "@opentelemetry/api";
import { afterEach, beforeEach } from "vitest";

/** What OpenTelemetry's `diag` was told during each test, a line each. */
export function said(): readonly string[] {
  const lines: string[] = [];
  const say = (...words: unknown[]): void => void lines.push(words.map(String).join(" "));
  beforeEach(() => {
    lines.length = 0;
    diag.setLogger(
      { error: say, warn: say, info: say, debug: say, verbose: say },
      { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
    );
  });
  afterEach(() => diag.disable());
  return lines;
}
