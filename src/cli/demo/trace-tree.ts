import type { ReceivedSpan } from "../receiver/receiver.ts";
import { byStart } from "./tool-run.ts";

/** A span and what happened inside it, earliest first. */
export interface TraceTree {
  readonly span: ReceivedSpan;
  readonly children: readonly TraceTree[];
}

/** One tree a trace; a span whose parent did not arrive is a root, so that none is left out. */
export function buildTraceTrees(spans: readonly ReceivedSpan[]): readonly TraceTree[] {
  const ordered = spans.toSorted(byStart);
  const ids = new Set(ordered.map((span) => span.spanId));
  const grow = (span: ReceivedSpan): TraceTree => ({
    span,
    children: ordered.filter((child) => child.parentSpanId === span.spanId).map(grow),
  });
  return ordered.filter(({ parentSpanId }) => parentSpanId === undefined || !ids.has(parentSpanId)).map(grow);
}
