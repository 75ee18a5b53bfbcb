import type { CallFacts } from "./call.ts";
import { isObject, read, readItems, readText } from "./read.ts";

/** A LangChain `ToolMessage` of any module copy, or one of the plain forms LangChain makes a `ToolMessage` of. */
export type ToolMessageLike = object;

/**
 * The value as a tool message, or nothing. Told by shape, since an ESM and a CommonJS copy, or two versions, have
 * different classes: LangChain's own `getType`, its serialized form, or `{ type | role: "tool", tool_call_id }`.
 */
export function asToolMessage(value: unknown): ToolMessageLike | undefined {
  if (!isObject(value)) return undefined;
  if (read(value, "lc") === 1) {
    const kwargs = read(value, "kwargs");
    return /^ToolMessage(Chunk)?$/.test(serializedClass(value)) && isObject(kwargs) ? kwargs : undefined;
  }
  const type = messageType(value);
  const isPlain = type === undefined && [read(value, "type"), read(value, "role")].includes("tool");
  return type === "tool" || (isPlain && typeof read(value, "tool_call_id") === "string") ? value : undefined;
}

/** The class in LangChain's serialized form, which ends the path in `id`; empty where there is none. */
export function serializedClass(value: unknown): string {
  const last = readItems(read(value, "id"))?.at(-1);
  return typeof last === "string" ? last : "";
}

function messageType(value: object): unknown {
  for (const name of ["getType", "_getType"]) {
    const getType = read(value, name);
    if (typeof getType !== "function") continue;
    try {
      return getType.call(value);
    } catch {
      return undefined;
    }
  }
  return undefined;
}

/** A LangGraph `Command`: what a tool returns to update the graph's state and to choose the next node. */
export function isCommand(value: unknown): boolean {
  return read(value, "lg_name") === "Command";
}

/** The tool messages a Command writes into the state; `update` is an object or a list of `[key, value]`. */
export function commandMessages(command: unknown): readonly ToolMessageLike[] {
  const update = read(command, "update");
  const entries = readItems(update);
  const written = entries
    ? entries.filter((entry) => read(entry, 0) === "messages").map((entry) => read(entry, 1))
    : [read(update, "messages")];
  return written.flatMap((value) => readItems(value) ?? [value]).flatMap((value) => asToolMessage(value) ?? []);
}

/**
 * The tool messages in what a tool gave back, except those which a Command or a list addresses to another call: with a
 * known call id only that id's; without one, those that carry the tool's name, else all.
 */
export function toolMessagesOf(value: unknown, call: CallFacts = {}): readonly ToolMessageLike[] {
  const direct = asToolMessage(value);
  if (direct) return [direct, ...toolMessagesOf(readItems(read(direct, "content")), call)];
  if (isCommand(value)) return addressedTo(commandMessages(value), call);
  const items = readItems(value) ?? [];
  return addressedTo(
    items.flatMap((item) => (isCommand(item) ? commandMessages(item) : (asToolMessage(item) ?? []))),
    call,
  );
}

function addressedTo(messages: readonly ToolMessageLike[], call: CallFacts): readonly ToolMessageLike[] {
  if (call.callId) {
    return messages.filter((message) => [call.callId, undefined].includes(readText(message, "tool_call_id")));
  }
  const named = messages.filter((message) => call.name !== undefined && read(message, "name") === call.name);
  return named.length > 0 ? named : messages;
}

/** The text of a message's content: a string, or the text blocks of a list, a line each. */
export function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  const blocks = readItems(content) ?? [];
  return blocks
    .map((block) => (typeof block === "string" ? block : readText(block, "text")))
    .filter((text) => text !== undefined)
    .join("\n");
}

/** What a returned value says of its call, for callbacks that came without a call id or with a wrong name. */
export function answered(value: unknown): { readonly callId: string | undefined; readonly name: string | undefined } {
  const message = asToolMessage(value);
  return { callId: readText(message, "tool_call_id"), name: readText(message, "name") };
}

/** What a result holds for its reader: the content of tool messages, not the objects around it. */
export function resultContent(value: unknown, call: CallFacts): unknown {
  const direct = asToolMessage(value);
  if (direct) return read(direct, "content");
  if (!isCommand(value)) return value;
  const messages = toolMessagesOf(value, call).map((message) => read(message, "content"));
  if (messages.length === 0) return { update: read(value, "update"), goto: read(value, "goto") };
  return messages.length === 1 ? messages[0] : messages;
}
