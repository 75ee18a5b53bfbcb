import type { ToolEnd } from "../core/call.ts";
import { fromThrown } from "../core/thrown.ts";
import { finishDrawing } from "./drawing.ts";
import type { RunNode } from "./registry.ts";

/**
 * Ends an agent at the root when all that was open in it has ended and a part of it was stopped, or waits for a human, and
 * none has failed. LangGraph tells no end of a graph whose reader leaves its stream with chunks unread. An end that comes
 * all the same says nothing new.
 *
 * @param parent of the part that ended
 */
export function endStoppedAgent(parent: RunNode | undefined, end: ToolEnd | undefined): void {
  if (parent?.kind !== "scope" || parent.parent) return;
  const kind = end?.kind === "threw" ? fromThrown(end.error).kind : undefined;
  if (kind === "error") parent.hasFailed = true;
  if (kind === "cancelled") parent.stop = end;
  if (kind === "interrupted") parent.stop ??= { kind: "returned", value: undefined };
  if (parent.stop && !parent.hasFailed && !parent.children!.size) finishDrawing(parent, parent.stop, undefined);
}
