import type { Paint } from "../paint.ts";
import { renderTable } from "./render-table.ts";
import { renderTrees } from "./render-tree.ts";
import type { DemoReport } from "./report.ts";
import { totalsOf } from "./report.ts";

const NARROWEST = 80;
const WIDEST = 120;

/** The whole report as the terminal shows it. @param columns the terminal's width, in characters */
export function renderReport(report: DemoReport, columns: number, paint: Paint): string {
  const width = Math.min(Math.max(columns, NARROWEST), WIDEST);
  return [
    `${paint("bold", "toolspan demo")}: a travel desk agent, real LangChain.js with a scripted model`,
    "",
    ...renderTrees(report, width, paint),
    "",
    ...renderTable(report, width, paint),
    "",
    ...conclusion(report, paint),
    ...report.faults.map((fault) => paint("red", `fault: ${fault}`)),
    "",
  ].join("\n");
}

/** In words what the figures say. */
function conclusion({ tools, runs, peer, faults }: DemoReport, paint: Paint): readonly string[] {
  const { calls, failed, recovered, stops, peer: theirs } = totalsOf(tools);
  const stopped = Object.values(stops).reduce((sum, count) => sum + count, 0);
  const listed = Object.entries(stops).map(([outcome, count]) => `${count} ${outcome}`);
  const unseenFailures = [...runs.values()].filter(({ peerFault, errorType }) => peerFault === "unseen" && errorType);
  const agreement = faults.length === 0 ? "agree" : "do not agree";
  return [
    paint("dim", `What arrived by OTLP/HTTP: ${runs.size} tool spans and a histogram of ${calls}; they ${agreement}.`),
    `toolspan: ${failed} of ${calls} tool calls failed, ${recovered} recovered by a retry;`,
    `${listed.join(", ")}: no failures.`,
    `openinference ${peer.version} on the same run: ` +
      paint("magenta", `${theirs.missed} of ${failed} failures shown as OK (missed),`),
    paint("magenta", `${theirs.unseen} calls without a span (unseen), ${unseenFailures.length} of them failures,`),
    paint("magenta", `${theirs.falseAlarms} of ${stopped} stops shown as errors (false).`),
  ];
}
