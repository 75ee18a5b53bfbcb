import { diag, DiagLogLevel } from "@opentelemetry/api";
import { afterEach, beforeEach, expect } from "vitest";

/**
 * What OpenTelemetry's `diag` was told during each test, a line each. A fault of ours never gets to the agent, so it shows
 * here alone: a test that expects lines takes them out (`splice`), and one that leaves any fails.
 */
export function said(): string[] {
  const lines: string[] = [];
  const say = (...words: unknown[]): void => void lines.push(words.map(String).join(" "));
  beforeEach(() => {
    lines.length = 0;
    diag.setLogger(
      { error: say, warn: say, info: say, debug: say, verbose: say },
      { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
    );
  });
  afterEach(() => {
    diag.disable();
    expect(lines, "what diag was told").toEqual([]);
  });
  return lines;
}
