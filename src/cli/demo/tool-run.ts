import type { ReceivedSpan } from "../receiver/receiver.ts";
import { groupBy } from "./group-by.ts";

/** What the demo reads of one `execute_tool` span, and what the peer's span of the same run says. */
export interface ToolRun {
  readonly tool: string;
  readonly callId: string | undefined;
  readonly status: StatusName;
  readonly outcome: string;
  readonly errorType: string | undefined;
  readonly message: string;
  /** False for a call that no tool was run for. */
  readonly executed: boolean;
  /** 1, or 2, 3, … for a retry of the same call. */
  readonly attempt: number;
  /** The run failed, and a retry of its call came back well. */
  readonly recovered: boolean;
  /** The name that the model invented. */
  readonly requestedTool: string | undefined;
  /** Nothing where the peer has no span of this run. */
  readonly peerStatus: StatusName | undefined;
  /** How the peer is wrong: a failure shown as none, a run which did not fail shown as an error, or no span at all. */
  readonly peerFault: PeerFault | undefined;
}

export type StatusName = "UNSET" | "OK" | "ERROR";
export type PeerFault = "missed" | "false alarm" | "unseen";

export function isToolSpan(span: ReceivedSpan): boolean {
  return span.attributes["gen_ai.operation.name"] === "execute_tool";
}

export interface ReadRuns {
  /** By span id. */
  readonly runs: ReadonlyMap<string, ToolRun>;
  /** Names of the peer's tool spans which have no twin. */
  readonly unmatched: readonly string[];
}

/** Reads the tool spans, each with its twin among the peer's. */
export function readToolRuns(spans: readonly ReceivedSpan[], peerSpans: readonly ReceivedSpan[]): ReadRuns {
  const peerQueues = groupBy(peerSpans.filter(isPeerToolSpan).toSorted(byStart), runOf);
  const runs = new Map<string, ToolRun>();
  for (const span of spans.filter(isToolSpan).toSorted(byStart)) {
    const { [NAME]: name, [EXECUTED]: executed } = span.attributes;
    // Without a run there were no events from which another tracer could have made a span: the next one is a later run's.
    const twin = executed === false ? undefined : peerQueues.get(`${span.traceId} ${String(name)}`)?.shift();
    runs.set(span.spanId, toolRun(span, twin));
  }
  return { runs, unmatched: [...peerQueues.values()].flat().map(({ name }) => name) };
}

const NAME = "gen_ai.tool.name";
const EXECUTED = "toolspan.executed";

function toolRun({ attributes, status }: ReceivedSpan, twin: ReceivedSpan | undefined): ToolRun {
  const peerStatus = twin && statusName(twin);
  return {
    tool: String(attributes[NAME]),
    callId: optionalText(attributes["gen_ai.tool.call.id"]),
    status: STATUS_NAMES[status.code],
    outcome: String(attributes["toolspan.outcome"]),
    errorType: optionalText(attributes["error.type"]),
    message: status.message,
    executed: attributes[EXECUTED] !== false,
    attempt: Number(attributes["toolspan.attempt"] ?? 1),
    recovered: attributes["toolspan.recovered"] === true,
    requestedTool: optionalText(attributes["toolspan.requested_tool"]),
    peerStatus,
    peerFault: peerStatus ? peerFault(status.code === 2, peerStatus === "ERROR") : "unseen",
  };
}

function peerFault(failed: boolean, peerFailed: boolean): PeerFault | undefined {
  if (failed === peerFailed) return undefined;
  return failed ? "missed" : "false alarm";
}

function isPeerToolSpan(span: ReceivedSpan): boolean {
  return span.attributes["openinference.span.kind"] === "TOOL";
}

/** Both tracers see the trace of the application's own span, and the scenarios run no tool twice at one time. */
function runOf(peerSpan: ReceivedSpan): string {
  return `${peerSpan.traceId} ${peerSpan.name}`;
}

const STATUS_NAMES = ["UNSET", "OK", "ERROR"] as const;

export function statusName(span: ReceivedSpan): StatusName {
  return STATUS_NAMES[span.status.code];
}

export function durationMs(span: ReceivedSpan): number {
  return Number(span.endTimeUnixNano - span.startTimeUnixNano) / 1e6;
}

export function byStart(one: ReceivedSpan, other: ReceivedSpan): number {
  return Number(one.startTimeUnixNano - other.startTimeUnixNano);
}

export function optionalText(value: unknown): string | undefined {
  return value === undefined ? undefined : String(value);
}
