import { read, readItems, readText } from "../../core/read.ts";
import { asToolMessage, commandMessages, isCommand } from "../../core/tool-message.ts";

/** A tool message with which a graph's node answers a call. */
export interface Answer {
  readonly callId: string | undefined;
  readonly name: string | undefined;
  /** "error", "success", or nothing where whoever built the message left it out. */
  readonly status: string | undefined;
  readonly message: object;
}

/**
 * The tool messages in what a node gave out: `{ messages }`, a list of messages, `Command`s, or lists of all these. Never those
 * in a `Send`: a router hands whole states on with it.
 */
export function answersIn(outputs: unknown): readonly Answer[] {
  return messagesIn(outputs, 0).map((message) => ({
    callId: readText(message, "tool_call_id"),
    name: readText(message, "name"),
    status: readText(message, "status"),
    message,
  }));
}

const MOST_DEPTH = 4;

function messagesIn(outputs: unknown, depth: number): readonly object[] {
  const message = asToolMessage(outputs);
  if (message) return [message];
  if (isCommand(outputs)) return commandMessages(outputs);
  if (depth > MOST_DEPTH || readText(outputs, "lg_name") === "Send") return [];
  const parts = readItems(outputs) ?? [read(outputs, "messages"), read(outputs, "output")];
  return parts.flatMap((part) => (typeof part === "object" && part !== null ? messagesIn(part, depth + 1) : []));
}
