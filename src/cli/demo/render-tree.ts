import type { Paint, Style } from "../paint.ts";
import type { Cell } from "./column.ts";
import { left, right } from "./column.ts";
import type { DemoReport } from "./report.ts";
import type { ToolRun } from "./tool-run.ts";
import { durationMs, statusName } from "./tool-run.ts";
import type { TraceTree } from "./trace-tree.ts";

/** How an outcome is marked; a mark of an outcome unknown here is a question. */
const MARKS: Readonly<Record<string, readonly [mark: string, style: Style]>> = {
  ok: ["✓", "green"],
  error: ["✗", "red"],
  cancelled: ["■", "yellow"],
  denied: ["⊘", "yellow"],
  interrupted: ["‖", "yellow"],
  handoff: ["→", "cyan"],
  abandoned: ["…", "yellow"],
};

const NAME = 26;
const DURATION = 7;
const PEER = 13;

/** Each trace as a tree: what ran, how long, what `toolspan` says of it, and what the other tracer says. */
export function renderTrees(report: DemoReport, width: number, paint: Paint): readonly string[] {
  const verdictWidth = width - NAME - DURATION - PEER - 4;
  const row = (name: string, duration: string, verdict: Cell, peer: Cell): string =>
    `${name}${right({ text: duration }, DURATION)}  ${left(verdict, verdictWidth)}  ${left(peer, PEER)}`.trimEnd();
  const dim = (text: string): string => paint("dim", text);

  const rows = (tree: TraceTree, prefix: string, branch: string, inner: string): readonly string[] => {
    const run = report.runs.get(tree.span.spanId);
    const lead = prefix + branch;
    const name = run ? toolName(run, lead, paint) : spanName(tree, lead, paint);
    const verdict = run ? verdictOf(run, paint) : statusVerdict(tree, dim);
    const line = row(name, `${durationMs(tree.span).toFixed(0)} ms`, verdict, run ? peerVerdict(run, paint) : NOTHING);
    return [line, ...below(tree.children, prefix + inner)];
  };
  const below = (children: readonly TraceTree[], prefix: string): readonly string[] =>
    children.flatMap((child, index) =>
      index === children.length - 1 ? rows(child, prefix, "└─ ", "   ") : rows(child, prefix, "├─ ", "│  "),
    );

  const heading = row(left({ text: "trace" }, NAME), "time", { text: "toolspan says" }, { text: "openinference" });
  return [dim(heading), ...report.traces.flatMap((tree) => rows(tree, "", "", ""))];
}

const NOTHING: Cell = { text: "" };

function toolName(run: ToolRun, lead: string, paint: Paint): string {
  const [mark, style] = MARKS[run.outcome] ?? ["?", "yellow"];
  return paint("dim", lead) + paint(style, mark) + " " + left({ text: run.tool }, NAME - lead.length - 2);
}

function spanName({ span }: TraceTree, lead: string, paint: Paint): string {
  const cell: Cell = { text: span.name, paint: (text) => paint("bold", text) };
  return paint("dim", lead) + left(cell, NAME - lead.length);
}

function verdictOf({ outcome, errorType, message }: ToolRun, paint: Paint): Cell {
  if (errorType !== undefined) return { text: `ERROR ${errorType}: ${message}`, paint: (text) => paint("red", text) };
  return { text: outcome, paint: (text) => paint(outcome === "ok" ? "green" : "yellow", text) };
}

/** A span of the application's own has no outcome; its status is its own affair and stays unset. */
function statusVerdict({ span }: TraceTree, dim: (text: string) => string): Cell {
  return { text: statusName(span), paint: dim };
}

function peerVerdict({ peerStatus, peerFault }: ToolRun, paint: Paint): Cell {
  if (peerStatus === undefined) return { text: "no span", paint: (text) => paint("dim", text) };
  if (peerFault === undefined) return { text: peerStatus, paint: (text) => paint("dim", text) };
  return { text: `${peerStatus} ✗ wrong`, paint: (text) => paint("magenta", text) };
}
