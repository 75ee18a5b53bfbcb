import type { Paint, Style } from "../paint.ts";
import type { Cell } from "./column.ts";
import { left, right } from "./column.ts";
import type { DemoReport, ToolRow } from "./report.ts";
import { totalsOf } from "./report.ts";

/** One line of the table, its figures as text. */
interface Line {
  readonly tool: string;
  readonly calls: string;
  readonly failed: string;
  readonly recovered: string;
  readonly byErrorType: string;
  readonly stops: string;
  readonly peerFailed: string;
  readonly missed: string;
  readonly unseen: string;
  readonly falseAlarms: string;
}

const HEADING: Line = {
  tool: "tool",
  calls: "calls",
  failed: "failed",
  recovered: "recovered",
  byErrorType: "by error.type",
  stops: "stopped",
  peerFailed: "failed",
  missed: "missed",
  unseen: "unseen",
  falseAlarms: "false",
};

const TOOL = 14;
const CALLS = 6;
const FAILED = 7;
const RECOVERED = 10;
const ERROR_TYPES = 21;
const STOPS = 15;
const PEER_FAILED = 7;
const MISSED = 7;
const UNSEEN = 7;
const FALSE = 6;

/** Widths of the columns that are not always there; 0 for one that is not. */
interface Layout {
  readonly recovered: number;
  readonly errorTypes: number;
  readonly stops: number;
}

/** The counts of the histogram beside those of the other tracer's spans. */
export function renderTable({ tools }: DemoReport, width: number, paint: Paint): readonly string[] {
  const layout = layOut(width, totalsOf(tools).recovered > 0);
  const ours = CALLS + FAILED + layout.recovered + layout.errorTypes + layout.stops;
  return [
    paint("dim", left({ text: "" }, TOOL + 2) + left({ text: "toolspan" }, ours - 1) + "openinference"),
    paint("dim", row(HEADING, layout, plain)),
    ...tools.map((tool) => row(lineOf(tool), layout, paint)),
    paint("bold", row(totalLine(tools), layout, plain)),
  ];
}

/** A wider terminal gives the words more room; a narrow one goes without the error types, which the trees show as well. */
function layOut(width: number, hasRecovered: boolean): Layout {
  const recovered = hasRecovered ? RECOVERED : 0;
  const figures = TOOL + CALLS + FAILED + recovered + PEER_FAILED + MISSED + UNSEEN + FALSE;
  const spare = width - figures - ERROR_TYPES - STOPS;
  if (spare < 0) return { recovered, errorTypes: 0, stops: width - figures };
  const more = Math.floor(spare / 2);
  return { recovered, errorTypes: ERROR_TYPES + more, stops: STOPS + more };
}

function row(line: Line, { recovered, errorTypes, stops }: Layout, paint: Paint): string {
  const styled = (text: string, style: Style): Cell => ({
    text,
    paint: (shown) => paint(text === NONE ? "dim" : style, shown),
  });
  const cells = [
    left({ text: line.tool }, TOOL),
    right({ text: line.calls }, CALLS),
    right(styled(line.failed, "red"), FAILED),
    recovered > 0 ? right(styled(line.recovered, "green"), recovered) : "",
    words(styled(line.byErrorType, "red"), errorTypes),
    words(styled(line.stops, "yellow"), stops),
    right(styled(line.peerFailed, "red"), PEER_FAILED),
    right(styled(line.missed, "magenta"), MISSED),
    right(styled(line.unseen, "magenta"), UNSEEN),
    right(styled(line.falseAlarms, "magenta"), FALSE),
  ];
  return cells.join("").trimEnd();
}

function words(cell: Cell, width: number): string {
  return width > 0 ? `  ${left(cell, width - 2)}` : "";
}

const plain: Paint = (_style, text) => text;

function lineOf(counts: ToolRow): Line {
  return {
    tool: counts.tool,
    calls: String(counts.calls),
    failed: figure(counts.failed),
    recovered: figure(counts.recovered),
    byErrorType: listed(counts.byErrorType),
    stops: listed(counts.stops),
    peerFailed: figure(counts.peer.failed),
    missed: figure(counts.peer.missed),
    unseen: figure(counts.peer.unseen),
    falseAlarms: figure(counts.peer.falseAlarms),
  };
}

function totalLine(tools: readonly ToolRow[]): Line {
  const { calls, failed, recovered, peer } = totalsOf(tools);
  return {
    tool: "total",
    calls: String(calls),
    failed: String(failed),
    recovered: String(recovered),
    byErrorType: "",
    stops: "",
    peerFailed: String(peer.failed),
    missed: String(peer.missed),
    unseen: String(peer.unseen),
    falseAlarms: String(peer.falseAlarms),
  };
}

/** A zero is nothing to look at. */
const NONE = "-";

function figure(count: number): string {
  return count === 0 ? NONE : String(count);
}

function listed(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([label, count]) => `${label} ${count}`)
    .join(", ");
}
