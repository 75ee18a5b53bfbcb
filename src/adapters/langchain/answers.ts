import { isObject, read, readItems, readText } from "../../core/read.ts";
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

const MOST_DEPTH = 5;

function messagesIn(outputs: unknown, depth: number): readonly object[] {
  if (!isObject(outputs) || depth > MOST_DEPTH) return [];
  const message = asToolMessage(outputs);
  if (message) return [message];
  if (isCommand(outputs)) return commandMessages(outputs);
  const parts = readItems(outputs) ?? [read(outputs, "messages"), read(outputs, "output")];
  return parts.flatMap((part) => messagesIn(part, depth + 1));
}
