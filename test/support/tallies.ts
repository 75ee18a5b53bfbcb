import type { ReadableSpan } from "@opentelemetry/sdk-trace-node";

/** What each agent's span says of its calls, in the order in which the agents ended: all, failed, unrecovered. */
export function talliesOf(spans: readonly ReadableSpan[]): (readonly unknown[])[] {
  return spans
    .filter(({ attributes }) => attributes["gen_ai.operation.name"] === "invoke_agent")
    .map(({ attributes }) => [
      attributes["toolspan.tool_calls"],
      attributes["toolspan.failed_tool_calls"],
      attributes["toolspan.unrecovered_tool_calls"],
    ]);
}
