import { toJson } from "./json.ts";
import { oneLine } from "./one-line.ts";
import { TIMEOUT } from "./outcome.ts";
import { className, isInstance, isObject, read, readItems, readText } from "./read.ts";
import { toolErrorKind } from "./tool-error-brand.ts";

/** `error.type` for an error that has no name of its own (OpenTelemetry's fallback value). */
export const OTHER = "_OTHER";

/**
 * A low-cardinality name for anything that can be thrown: its `code` if that is a short word, else its name or class,
 * else `_OTHER`. Never message text, never empty.
 */
export function errorType(error: unknown): string {
  const kind = toolErrorKind(error);
  if (kind === "timeout") return TIMEOUT;
  if (kind === "json") return lowCardinality(read(read(error, "value"), "code")) ?? "ToolError";
  return lowCardinality(read(error, "code")) ?? errorName(error) ?? OTHER;
}

/** The name an error goes by: that which is not just "Error", of its own name, its class and its tag. */
export function errorName(error: unknown): string | undefined {
  const names = [readText(error, "name"), className(error), readText(error, "_tag")].filter(isName);
  return names.find((name) => name !== "Error") ?? names[0];
}

/** The code when it can be a metric's label: one short word, so that no id and no sentence becomes one. */
export function lowCardinality(code: unknown): string | undefined {
  return typeof code === "string" && /^[\w.:/-]{1,64}$/.test(code) ? code : undefined;
}

function isName(name: string | undefined): name is string {
  return name !== undefined && /^[\p{L}_$][\p{L}\p{N}_$.]{0,63}$/u.test(name);
}

/** A cause of a cause is still shown; deeper ones are not. */
const MOST_CAUSES = 5;

/** The error and its causes, outermost first; a cycle ends the chain. */
export function causeChain(error: unknown): readonly unknown[] {
  const chain = [error];
  while (chain.length <= MOST_CAUSES) {
    const cause = read(chain.at(-1), "cause");
    if (cause === undefined || cause === null || chain.includes(cause)) break;
    chain.push(cause);
  }
  return chain;
}

/**
 * What an error says, on one line, with what its causes add to it. Built from whatever is there: message, causes, code,
 * name, JSON or text. Never empty, never `[object Object]`.
 */
export function errorMessage(error: unknown): string {
  const told: string[] = [];
  for (const link of causeChain(error)) {
    for (const words of [ownMessage(link), ...groupedMessages(link)]) {
      const isNews = !told.some((message) => message === words || message.endsWith(`: ${words}`));
      if (words !== "" && isNews) told.push(words);
    }
  }
  return told.join("; cause: ") || nameOrContent(error);
}

function ownMessage(error: unknown): string {
  return oneLine(typeof error === "string" ? error : (readText(error, "message") ?? ""));
}

/** An `AggregateError` seldom says more than that several failed; its first errors do. */
function groupedMessages(error: unknown): readonly string[] {
  return (readItems(read(error, "errors")) ?? []).slice(0, 3).map(ownMessage);
}

/** For what has no message: the name of an error, the content of an object, the text of anything else. */
function nameOrContent(error: unknown): string {
  if (error === "") return "threw an empty string";
  if (!isObject(error)) return `threw ${String(error)}`;
  const type = errorType(error);
  if (isInstance(error, Error)) return type;
  const json = String(toJson(error, 1024));
  return json.startsWith("{") && json !== "{}" ? oneLine(json) : `threw ${type === OTHER ? "an object" : type}`;
}
