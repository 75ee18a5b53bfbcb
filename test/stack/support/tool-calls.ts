import { randomBytes } from "node:crypto";

export interface ToolCalls {
  readonly service: string;
  readonly tool: string;
  readonly failed?: boolean;
}

/** So many calls of a tool, each in a trace of its own, as a request line of OTLP/JSON. */
export function toolCalls(count: number, { service, tool, failed = false }: ToolCalls): string {
  const now = BigInt(Date.now()) * 1_000_000n;
  const spans = Array.from({ length: count }, () => ({
    traceId: randomBytes(16).toString("hex"),
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
    }),
    status: failed ? { code: 2, message: "no such index" } : {},
  }));
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributes({ "service.name": service }) },
        scopeSpans: [{ scope: { name: "toolspan" }, spans }],
      },
    ],
  });
}

function attributes(values: Readonly<Record<string, string>>): readonly object[] {
  return Object.entries(values).map(([key, stringValue]) => ({ key, value: { stringValue } }));
}
