import type { Receiver, ReceivedSpan } from "../receiver/receiver.ts";
import type { AgentRun } from "./agent-run.ts";
import { readAgentRuns } from "./agent-run.ts";
import type { ModelCall } from "./model-call.ts";
import { readModelCalls } from "./model-call.ts";
import type { ToolCounts } from "./tool-counts.ts";
import { countPoints, countRuns, disagreements } from "./tool-counts.ts";
import type { PeerFault, ToolRun } from "./tool-run.ts";
import { readToolRuns } from "./tool-run.ts";
import type { TraceTree } from "./trace-tree.ts";
import { buildTraceTrees } from "./trace-tree.ts";

/** What the peer's spans say of one tool's runs. */
export interface PeerCounts {
  readonly calls: number;
  readonly failed: number;
  /** Failures that its spans show as none. */
  readonly missed: number;
  /** Calls for which it has no span, whether they failed or not. */
  readonly unseen: number;
  /** Runs that did not fail and that its spans show as errors. */
  readonly falseAlarms: number;
}

export interface ToolRow extends ToolCounts {
  readonly peer: PeerCounts;
}

/** All that the demo shows, read from nothing but what the receivers got. */
export interface DemoReport {
  readonly traces: readonly TraceTree[];
  /** By span id. */
  readonly runs: ReadonlyMap<string, ToolRun>;
  readonly agents: ReadonlyMap<string, AgentRun>;
  readonly modelCalls: ReadonlyMap<string, ModelCall>;
  readonly tools: readonly ToolRow[];
  /** The peer's instrumentation scope. */
  readonly peer: { readonly name: string; readonly version: string };
  /** Why the figures above cannot be trusted, a sentence each; empty when all is as it should be. */
  readonly faults: readonly string[];
}

type Received = Pick<Receiver, "spans" | "points">;

export function buildReport(received: Received, peerSpans: readonly ReceivedSpan[]): DemoReport {
  const { runs, unmatched } = readToolRuns(received.spans, peerSpans);
  const counts = countPoints(received.points);
  const faults = [...disagreements(counts, countRuns(runs.values()))];
  if (runs.size === 0) faults.push("the receiver got no tool span");
  if (peerSpans.length === 0) faults.push("the other tracer sent no span");
  if (unmatched.length > 0) faults.push(`the other tracer has more spans than toolspan: ${unmatched.join(", ")}`);
  return {
    traces: buildTraceTrees(received.spans),
    runs,
    agents: readAgentRuns(received.spans),
    modelCalls: readModelCalls(received.spans),
    tools: counts.map((one) => ({
      ...one,
      peer: countPeer([...runs.values()].filter(({ tool }) => tool === one.tool)),
    })),
    peer: peerSpans[0]?.scope ?? { name: "no other tracer", version: "" },
    faults,
  };
}

function countPeer(runs: readonly ToolRun[]): PeerCounts {
  const withFault = (fault: PeerFault): number => runs.filter(({ peerFault }) => peerFault === fault).length;
  return {
    calls: runs.filter(({ peerStatus }) => peerStatus !== undefined).length,
    failed: runs.filter(({ peerStatus }) => peerStatus === "ERROR").length,
    missed: withFault("missed"),
    unseen: withFault("unseen"),
    falseAlarms: withFault("false alarm"),
  };
}

/** The figures of the table's last line. */
export interface Totals {
  readonly calls: number;
  readonly failed: number;
  readonly recovered: number;
  readonly stops: Readonly<Record<string, number>>;
  readonly peer: PeerCounts;
}

export function totalsOf(tools: readonly ToolRow[]): Totals {
  const sum = (figure: (row: ToolRow) => number): number => tools.reduce((total, row) => total + figure(row), 0);
  const outcomes = [...new Set(tools.flatMap(({ stops }) => Object.keys(stops)))].toSorted();
  return {
    calls: sum((row) => row.calls),
    failed: sum((row) => row.failed),
    recovered: sum((row) => row.recovered),
    stops: Object.fromEntries(outcomes.map((outcome) => [outcome, sum(({ stops }) => stops[outcome] ?? 0)])),
    peer: {
      calls: sum((row) => row.peer.calls),
      failed: sum((row) => row.peer.failed),
      missed: sum((row) => row.peer.missed),
      unseen: sum((row) => row.peer.unseen),
      falseAlarms: sum((row) => row.peer.falseAlarms),
    },
  };
}
