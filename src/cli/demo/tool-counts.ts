import type { ReceivedPoint } from "../receiver/receiver.ts";
import { groupBy } from "./group-by.ts";
import type { ToolRun } from "./tool-run.ts";

/** One tool's runs, and its calls without one, counted; a retry counts as another. */
export interface ToolCounts {
  readonly tool: string;
  readonly calls: number;
  readonly failed: number;
  /** Those of the failed whose call came back well by a retry. */
  readonly recovered: number;
  readonly byErrorType: Readonly<Record<string, number>>;
  /** Runs which neither failed nor came back ok: cancelled, denied, interrupted, …; by outcome. */
  readonly stops: Readonly<Record<string, number>>;
}

/** What is counted: the labels of a metric point, or what a span says in their place. */
interface Counted {
  readonly tool: string;
  readonly outcome: string;
  readonly errorType: string | undefined;
  readonly recovered: boolean;
  readonly count: number;
}

/** The counts as the histogram has them: exact even where traces are sampled. */
export function countPoints(points: readonly ReceivedPoint[]): readonly ToolCounts[] {
  const durations = points.filter((point) => point.metric === "gen_ai.execute_tool.duration");
  const series = groupBy(durations, ({ attributes }) => JSON.stringify(Object.entries(attributes).toSorted()));
  return count(
    [...series.values()].map((exports) => {
      const { attributes } = exports[0];
      return {
        tool: String(attributes["gen_ai.tool.name"]),
        outcome: String(attributes["toolspan.outcome"]),
        errorType: attributes["error.type"] === undefined ? undefined : String(attributes["error.type"]),
        recovered: attributes["toolspan.recovered"] === true,
        count: countOf(exports),
      };
    }),
  );
}

/** A cumulative series says all there is each time it comes; a delta says what came since. */
function countOf(exports: readonly ReceivedPoint[]): number {
  const deltas = exports.filter((point) => point.temporality === "delta");
  const newest = exports.findLast((point) => point.temporality !== "delta");
  return deltas.reduce((sum, point) => sum + (point.count ?? 0), newest?.count ?? 0);
}

/** The counts that the histogram should have: a call which was answered well without a run took no time, and is not in it. */
export function countRuns(runs: Iterable<ToolRun>): readonly ToolCounts[] {
  const timed = [...runs].filter(({ executed, outcome }) => executed || outcome !== "ok");
  return count(
    timed.map(({ tool, outcome, errorType, recovered }) => ({ tool, outcome, errorType, recovered, count: 1 })),
  );
}

function count(counted: readonly Counted[]): readonly ToolCounts[] {
  return [...groupBy(counted, ({ tool }) => tool)]
    .map(([tool, entries]) => ({
      tool,
      calls: total(entries),
      failed: total(entries.filter(({ errorType }) => errorType !== undefined)),
      recovered: total(entries.filter(({ recovered }) => recovered)),
      byErrorType: totals(entries, ({ errorType }) => errorType),
      stops: totals(entries, ({ outcome }) => (outcome === "ok" || outcome === "error" ? undefined : outcome)),
    }))
    .toSorted((one, other) => (one.tool < other.tool ? -1 : 1));
}

function total(entries: readonly Counted[]): number {
  return entries.reduce((sum, entry) => sum + entry.count, 0);
}

function totals(entries: readonly Counted[], labelOf: (entry: Counted) => string | undefined): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const entry of entries) {
    const label = labelOf(entry);
    if (label !== undefined) sums[label] = (sums[label] ?? 0) + entry.count;
  }
  return Object.fromEntries(Object.entries(sums).toSorted());
}

/** What the spans and the histogram say differently, a sentence each. There should be nothing. */
export function disagreements(fromPoints: readonly ToolCounts[], fromSpans: readonly ToolCounts[]): readonly string[] {
  const tools = new Set([...fromPoints, ...fromSpans].map(({ tool }) => tool));
  return [...tools].flatMap((tool) => {
    const [points, spans] = [fromPoints, fromSpans].map((counts) =>
      JSON.stringify(counts.find((one) => one.tool === tool) ?? "nothing"),
    );
    return points === spans ? [] : [`${tool}: the histogram has ${points}, the spans have ${spans}`];
  });
}
