import { runCommand } from "../../support/built-command.ts";

/** A span as `toolspan demo --json` tells it. */
export interface DemoSpan {
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly status: "UNSET" | "OK" | "ERROR";
  readonly durationMs: number;
  readonly tool?: string;
  readonly agent?: string;
  readonly outcome?: string;
  readonly errorType?: string;
  readonly executed?: boolean;
  readonly recovered?: boolean;
  readonly unrecoveredToolCalls?: number;
  readonly children: readonly DemoSpan[];
}

export interface Demo {
  readonly traces: readonly (DemoSpan & { readonly traceId: string })[];
}

/** Plays the built demo; its spans and metrics go to the endpoint. What it prints is what was made, told by its own receiver. */
export async function playDemo(endpoint: string): Promise<Demo> {
  const run = await runCommand(["demo", "--json"], { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
  if (run.code !== 0 || run.stderr !== "") throw new Error(`the demo ended with ${run.code}: ${run.stderr}`);
  return JSON.parse(run.stdout) as Demo;
}

export function allSpans(spans: readonly DemoSpan[]): readonly DemoSpan[] {
  return spans.flatMap((span) => [span, ...allSpans(span.children)]);
}

/** A tool's run, or a call that had none. */
export interface ToolSpan extends DemoSpan {
  readonly tool: string;
  readonly outcome: string;
  readonly executed: boolean;
  /** The agent in whose trace it stands, the nearest above it. */
  readonly ofAgent: string | undefined;
}

export function toolSpans({ traces }: Demo): readonly ToolSpan[] {
  const under = (span: DemoSpan, agent: string | undefined): readonly ToolSpan[] => [
    ...(isToolSpan(span) ? [{ ...span, ofAgent: agent }] : []),
    ...span.children.flatMap((child) => under(child, span.agent ?? agent)),
  ];
  return traces.flatMap((trace) => under(trace, undefined));
}

function isToolSpan(span: DemoSpan): span is Omit<ToolSpan, "ofAgent"> {
  return span.name.startsWith("execute_tool ");
}
