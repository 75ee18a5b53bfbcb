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
  readonly byErrorType: string;
  readonly stops: string;
  readonly peerFailed: string;
  readonly missed: string;
  readonly falseAlarms: string;
}

const HEADING: Line = {
  tool: "tool",
  calls: "calls",
  failed: "failed",
  byErrorType: "by error.type",
  stops: "stopped",
  peerFailed: "failed",
  missed: "missed",
  falseAlarms: "false",
};

/** The narrowest table; a wider terminal gives its columns of words more room. */
const LEAST = 80;
const TOOL = 14;
const CALLS = 6;
const FAILED = 7;
const WORDS = 15;
const FALSE = 6;

/** The counts of the histogram beside those of the other tracer's spans. */
export function renderTable({ tools }: DemoReport, width: number, paint: Paint): readonly string[] {
  const words = WORDS + Math.floor((width - LEAST) / 2);
  const owners =
    left({ text: "" }, TOOL + 2) + left({ text: "toolspan" }, CALLS + FAILED + 2 * words + 3) + "openinference";
  return [
    paint("dim", owners),
    paint("dim", row(HEADING, words, plain)),
    ...tools.map((tool) => row(lineOf(tool), words, paint)),
    paint("bold", row(totalLine(tools), words, plain)),
  ];
}

function row(line: Line, words: number, paint: Paint): string {
  const styled = (text: string, style: Style): Cell => ({
    text,
    paint: (shown) => paint(text === NONE ? "dim" : style, shown),
  });
  const cells = [
    left({ text: line.tool }, TOOL),
    right({ text: line.calls }, CALLS),
    right(styled(line.failed, "red"), FAILED),
    "  ",
    left(styled(line.byErrorType, "red"), words),
    "  ",
    left(styled(line.stops, "yellow"), words - 2),
    right(styled(line.peerFailed, "red"), FAILED),
    right(styled(line.missed, "magenta"), FAILED),
    right(styled(line.falseAlarms, "magenta"), FALSE),
  ];
  return cells.join("").trimEnd();
}

const plain: Paint = (_style, text) => text;

function lineOf(counts: ToolRow): Line {
  return {
    tool: counts.tool,
    calls: String(counts.calls),
    failed: figure(counts.failed),
    byErrorType: listed(counts.byErrorType),
    stops: listed(counts.stops),
    peerFailed: figure(counts.peer.failed),
    missed: figure(counts.peer.missed),
    falseAlarms: figure(counts.peer.falseAlarms),
  };
}

function totalLine(tools: readonly ToolRow[]): Line {
  const { calls, failed, peer } = totalsOf(tools);
  return {
    tool: "total",
    calls: String(calls),
    failed: String(failed),
    byErrorType: "",
    stops: "",
    peerFailed: String(peer.failed),
    missed: String(peer.missed),
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
