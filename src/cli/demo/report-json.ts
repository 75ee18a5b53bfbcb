import type { DemoReport } from "./report.ts";
import { totalsOf } from "./report.ts";
import { durationMs, statusName } from "./tool-run.ts";
import type { TraceTree } from "./trace-tree.ts";

/** The report for programs: the trees of spans, the counts by tool and their totals. Durations are in milliseconds. */
export function reportJson(report: DemoReport, sentTo: readonly string[]): string {
  const { traces, tools, peer, faults } = report;
  const document = {
    traces: traces.map((tree) => ({ traceId: tree.span.traceId, ...spanJson(tree, report) })),
    tools,
    totals: totalsOf(tools),
    peer,
    sentTo,
    faults,
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

function spanJson({ span, children }: TraceTree, report: DemoReport): object {
  const { spanId } = span;
  const read = report.runs.get(spanId) ?? report.agents.get(spanId) ?? report.modelCalls.get(spanId);
  return {
    spanId,
    parentSpanId: span.parentSpanId,
    name: span.name,
    durationMs: durationMs(span),
    status: statusName(span),
    ...read,
    children: children.map((child) => spanJson(child, report)),
  };
}
