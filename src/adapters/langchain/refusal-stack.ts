import { read, readText } from "../../core/read.ts";
import type { Method } from "./record-call.ts";
import { isRefusal } from "./tool-facts.ts";

/** The stack below a wrap, as it is when the wrap is called. */
export interface CallersStack {
  readonly stack?: unknown;
}

/**
 * LangChain sends the model the stack with which it refuses arguments. A JSON schema is checked before anything is awaited, so
 * that the wrap's own frames would be in it.
 *
 * @param wrap the function that stands in the place of LangChain's
 * @returns nothing for a tool with a zod schema, whose refusals come later
 */
export function callersStack(tool: object, wrap: Method): CallersStack | undefined {
  const schema = read(tool, "schema");
  if ((read(schema, "_zod") ?? read(schema, "_def")) !== undefined) return undefined;
  const holder: CallersStack = {};
  Error.captureStackTrace(holder, wrap);
  return holder;
}

/** Makes the stack of a refusal what it were without the wrap: LangChain's own frame, and below it those of the caller. */
export function withoutWrap(refusal: unknown, caller: CallersStack | undefined): void {
  if (!isRefusal(refusal)) return;
  const message = readText(refusal, "message");
  const [stack, below] = [readText(refusal, "stack"), readText(caller, "stack")];
  if (!message || !stack || !below) return;
  const frames = framesOf(stack.slice(stack.indexOf(message) + message.length));
  const header = stack.slice(0, stack.length - frames.join("").length);
  // No more than there were: `Error.stackTraceLimit` counts them.
  const right = [...frames.slice(0, 1), ...framesOf(below)].slice(0, frames.length);
  Reflect.set(refusal as object, "stack", header + right.join(""));
}

/** Each with the break of line before it. */
function framesOf(stack: string): readonly string[] {
  return stack.match(/\n {4}at [^\n]*/g) ?? [];
}
