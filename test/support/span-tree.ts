import type { ReadableSpan } from "@opentelemetry/sdk-trace-node";

/**
 * Where each span hangs, from the root down: `invoke_agent main > execute_tool task > chat`. A parent that was never exported
 * shows as `?`.
 */
export function pathsOf(spans: readonly ReadableSpan[]): string[] {
  const byId = new Map(spans.map((span) => [span.spanContext().spanId, span]));
  const pathOf = (span: ReadableSpan): string => {
    const { parentSpanContext, name } = span;
    if (!parentSpanContext) return name;
    const parent = byId.get(parentSpanContext.spanId);
    return `${parent ? pathOf(parent) : "?"} > ${name}`;
  };
  return spans.map(pathOf);
}
