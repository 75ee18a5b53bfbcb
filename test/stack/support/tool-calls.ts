import { randomBytes } from "node:crypto";
import type { TraceRequest } from "./otlp.ts";

export interface ToolCalls {
  readonly service: string;
  readonly tool: string;
  readonly failed?: boolean;
  /** All in one trace, rather than each in its own. */
  readonly oneTrace?: boolean;
  /** What the tool returned, as captured content. */
  readonly result?: string;
}

/** So many calls of a tool, as a request. */
export function toolCalls(
  count: number,
  { service, tool, failed = false, oneTrace = false, result }: ToolCalls,
): TraceRequest {
  const now = BigInt(Date.now()) * 1_000_000n;
  const trace = randomBytes(16).toString("hex");
  const spans = Array.from({ length: count }, () => ({
    traceId: oneTrace ? trace : randomBytes(16).toString("hex"),
    spanId: randomBytes(8).toString("hex"),
    name: `execute_tool ${tool}`,
    kind: 1,
    startTimeUnixNano: String(now),
    endTimeUnixNano: String(now + 30_000_000n),
    attributes: attributes({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": tool,
      "toolspan.outcome": failed ? "error" : "ok",
      ...(failed ? { "error.type": "tool_error" } : {}),
      ...(result === undefined ? {} : { "gen_ai.tool.call.result": result }),
    }),
    status: failed ? { code: 2, message: "no such index" } : {},
  }));
  return {
    resourceSpans: [
      {
        resource: { attributes: attributes({ "service.name": service }) },
        scopeSpans: [{ scope: { name: "toolspan" }, spans }],
      },
    ],
  };
}

function attributes(
  values: Readonly<Record<string, string>>,
): readonly { key: string; value: { stringValue: string } }[] {
  return Object.entries(values).map(([key, stringValue]) => ({ key, value: { stringValue } }));
}
