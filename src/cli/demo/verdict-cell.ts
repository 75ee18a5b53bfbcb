import type { Paint, Style } from "../paint.ts";
import type { ReceivedSpan } from "../receiver/receiver.ts";
import type { AgentRun } from "./agent-run.ts";
import type { Cell } from "./column.ts";
import type { ModelCall } from "./model-call.ts";
import type { ToolRun } from "./tool-run.ts";
import { statusName } from "./tool-run.ts";

/** What `toolspan` says of a tool's run: `ERROR timeout, retry 2: …`. */
export function toolVerdict(run: ToolRun, paint: Paint): Cell {
  const { outcome, errorType, message, requestedTool } = run;
  const notes = [errorType === undefined ? outcome : `ERROR ${errorType}`, ...notesOf(run)].join(", ");
  if (errorType === undefined) return cell(notes, outcome === "ok" ? "green" : "yellow", paint);
  return cell(`${notes}: ${requestedTool ?? message}`, "red", paint);
}

function notesOf({ attempt, recovered }: ToolRun): readonly string[] {
  return [...(attempt > 1 ? [`retry ${attempt}`] : []), ...(recovered ? ["recovered"] : [])];
}

/** An agent that coped stays unset, whatever failed in it; its counts tell an answer that stands on failures. */
export function agentVerdict(span: ReceivedSpan, run: AgentRun, paint: Paint): Cell {
  if (span.status.code === 2) {
    return cell(`ERROR ${String(span.attributes["error.type"])}: ${span.status.message}`, "red", paint);
  }
  const { toolCalls, failedToolCalls: failed, unrecoveredToolCalls: lost } = run;
  const state = run.outcome ?? statusName(span);
  if (failed === 0) return cell(state, "dim", paint);
  const rest = lost === 0 ? "all made good" : `${lost} not made good`;
  return cell(`${state}: ${failed} of ${toolCalls} calls failed, ${rest}`, lost === 0 ? "dim" : "yellow", paint);
}

/** A model call's status, and its tokens where the model says them. */
export function modelVerdict(span: ReceivedSpan, { inputTokens, outputTokens }: ModelCall, paint: Paint): Cell {
  const isCounted = inputTokens !== undefined && outputTokens !== undefined;
  const tokens = isCounted ? `: ${String(inputTokens)} tokens in, ${String(outputTokens)} out` : "";
  return cell(statusName(span) + tokens, span.status.code === 2 ? "red" : "dim", paint);
}

/** A span of the application's own has no outcome, and its status is its own affair. */
export function plainVerdict(span: ReceivedSpan, paint: Paint): Cell {
  const { "error.type": errorType } = span.attributes;
  const isFailed = span.status.code === 2 && errorType !== undefined;
  return cell(
    isFailed ? `ERROR ${String(errorType)}` : statusName(span),
    span.status.code === 2 ? "red" : "dim",
    paint,
  );
}

/** What the other tracer says of a tool's run. */
export function peerVerdict({ peerStatus, peerFault }: ToolRun, paint: Paint): Cell {
  if (peerStatus === undefined) return cell("no span", "magenta", paint);
  return peerFault === undefined ? cell(peerStatus, "dim", paint) : cell(`${peerStatus} ✗ wrong`, "magenta", paint);
}

function cell(text: string, style: Style, paint: Paint): Cell {
  return { text, paint: (shown) => paint(style, shown) };
}
