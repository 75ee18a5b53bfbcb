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
  /** Nothing where the peer has no span of this run. */
  readonly peerStatus: StatusName | undefined;
  /** How the peer's verdict is wrong: a failure shown as none, or a run which did not fail shown as an error. */
  readonly peerFault: PeerFault | undefined;
}

export type StatusName = "UNSET" | "OK" | "ERROR";
export type PeerFault = "missed" | "false alarm";

export function isToolSpan(span: ReceivedSpan): boolean {
  return span.attributes["gen_ai.operation.name"] === "execute_tool";
}

/** Reads the tool spans, each with its twin among the peer's; by span id. */
export function readToolRuns(
  spans: readonly ReceivedSpan[],
  peerSpans: readonly ReceivedSpan[],
): ReadonlyMap<string, ToolRun> {
  const peerQueues = groupBy(peerSpans.filter(isPeerToolSpan).toSorted(byStart), runOf);
  const runs = new Map<string, ToolRun>();
  for (const span of spans.filter(isToolSpan).toSorted(byStart)) {
    const twin = peerQueues.get(`${span.traceId} ${String(span.attributes["gen_ai.tool.name"])}`)?.shift();
    runs.set(span.spanId, toolRun(span, twin));
  }
  return runs;
}

function toolRun({ attributes, status }: ReceivedSpan, twin: ReceivedSpan | undefined): ToolRun {
  const peerStatus = twin && statusName(twin);
  return {
    tool: String(attributes["gen_ai.tool.name"]),
    callId: optionalText(attributes["gen_ai.tool.call.id"]),
    status: STATUS_NAMES[status.code],
    outcome: String(attributes["toolspan.outcome"]),
    errorType: optionalText(attributes["error.type"]),
    message: status.message,
    peerStatus,
    peerFault: peerStatus && peerFault(status.code === 2, peerStatus === "ERROR"),
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

function optionalText(value: unknown): string | undefined {
  return value === undefined ? undefined : String(value);
}
