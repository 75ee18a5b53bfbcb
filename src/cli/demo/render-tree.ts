import type { Paint, Style } from "../paint.ts";
import type { ReceivedSpan } from "../receiver/receiver.ts";
import type { Cell } from "./column.ts";
import { left, right } from "./column.ts";
import type { DemoReport } from "./report.ts";
import type { ToolRun } from "./tool-run.ts";
import { durationMs } from "./tool-run.ts";
import type { TraceTree } from "./trace-tree.ts";
import { agentVerdict, modelVerdict, peerVerdict, plainVerdict, toolVerdict } from "./verdict-cell.ts";

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

/** Room for an agent in a tool of another agent; a terminal of 80 columns then has room for the verdicts' words. */
const NAME = 28;
const DURATION = 7;
const PEER = 13;

/** Each trace as a tree: what ran, how long, what `toolspan` says of it, and what the other tracer says. */
export function renderTrees(report: DemoReport, width: number, paint: Paint): readonly string[] {
  const verdictWidth = width - NAME - DURATION - PEER - 4;
  const row = (name: string, duration: string, verdict: Cell, peer: Cell): string => {
    const start = `${name}${right({ text: duration }, DURATION)}  `;
    // Where the other tracer has nothing to say, its room is the verdict's.
    if (peer === NOTHING) return (start + left(verdict, verdictWidth + 2 + PEER)).trimEnd();
    return `${start}${left(verdict, verdictWidth)}  ${left(peer, PEER)}`.trimEnd();
  };

  const rows = (tree: TraceTree, prefix: string, branch: string, inner: string): readonly string[] => {
    const [name, verdict, peer] = cellsOf(tree, prefix + branch, report, paint);
    return [row(name, durationOf(tree.span, report), verdict, peer), ...below(tree.children, prefix + inner)];
  };
  const below = (children: readonly TraceTree[], prefix: string): readonly string[] =>
    children.flatMap((child, index) =>
      index === children.length - 1 ? rows(child, prefix, "└─ ", "   ") : rows(child, prefix, "├─ ", "│  "),
    );

  const heading = row(left({ text: "trace" }, NAME), "time", { text: "toolspan says" }, { text: "openinference" });
  return [paint("dim", heading), ...report.traces.flatMap((tree) => rows(tree, "", "", ""))];
}

function durationOf(span: ReceivedSpan, { runs }: DemoReport): string {
  return runs.get(span.spanId)?.executed === false ? "not run" : `${durationMs(span).toFixed(0)} ms`;
}

const NOTHING: Cell = { text: "" };

/** What is around the tools is dimmed, so that these are seen first. */
function cellsOf(
  { span }: TraceTree,
  lead: string,
  { runs, agents, modelCalls }: DemoReport,
  paint: Paint,
): readonly [name: string, verdict: Cell, peer: Cell] {
  const run = runs.get(span.spanId);
  if (run) return [toolName(run, lead, paint), toolVerdict(run, paint), peerVerdict(run, paint)];
  const agent = agents.get(span.spanId);
  const modelCall = modelCalls.get(span.spanId);
  const name = (style: Style): string => spanName(span.name, lead, style, paint);
  if (agent) return [name("dim"), agentVerdict(span, agent, paint), NOTHING];
  if (modelCall) return [name("dim"), modelVerdict(span, modelCall, paint), NOTHING];
  return [name(lead === "" ? "bold" : "dim"), plainVerdict(span, paint), NOTHING];
}

function toolName(run: ToolRun, lead: string, paint: Paint): string {
  const [mark, style] = MARKS[run.outcome] ?? ["?", "yellow"];
  return paint("dim", lead) + paint(style, mark) + " " + left({ text: run.tool }, NAME - lead.length - 2);
}

function spanName(name: string, lead: string, style: Style, paint: Paint): string {
  return paint("dim", lead) + left({ text: name, paint: (text) => paint(style, text) }, NAME - lead.length);
}
