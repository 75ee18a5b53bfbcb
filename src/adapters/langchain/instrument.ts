import { read } from "../../core/read.ts";
import { createGuard } from "../../span/guard.ts";
import type { RecorderOptions } from "../../span/options.ts";
import type { AdapterRecorder } from "../../span/recorder.ts";
import { createAdapterRecorder } from "../../span/recorder.ts";
import type { Method } from "./record-call.ts";
import { recordCall, recordInvoke } from "./record-call.ts";
import { readsPrivateMembers } from "./stand-in.ts";
import { watchMethod } from "./wrapped-method.ts";

/**
 * Makes a span of every call of every tool of this copy of LangChain.js, with the span active inside the tool, so that what
 * it calls nests there. Beside a `ToolspanHandler` it is still one span a run, and the better for it: refused arguments,
 * results of a wrong shape and cancellations are seen only from here. Nothing is written on the tools.
 *
 * An ESM and a CommonJS copy have a module each. A second call changes nothing and returns the same undo.
 *
 * @param toolsModule the module `@langchain/core/tools` as the application loads it
 * @returns takes the wrap off again
 * @throws {TypeError} beginning with `toolspan:`, for another module, or an option that cannot work
 * @example
 * import * as tools from "@langchain/core/tools";
 * instrumentLangChain(tools);
 */
export function instrumentLangChain(toolsModule: object, options: RecorderOptions = {}): () => void {
  const prototype = read(read(toolsModule, "StructuredTool"), "prototype");
  if (!isObjectWith(prototype, "call")) {
    throw new TypeError(
      "toolspan: instrumentLangChain needs the module that holds StructuredTool: " +
        'import * as tools from "@langchain/core/tools"; instrumentLangChain(tools)',
    );
  }
  return watchCalls(prototype, prototype, createAdapterRecorder(options));
}

/**
 * The same for one tool, with options of its own. Also for `runnable.asTool()`, which `instrumentLangChain` cannot see.
 *
 * @param tool anything with `call` and `_call` (a `StructuredTool`), or else a runnable with `invoke`
 * @returns takes the wrap off again
 * @throws {TypeError} beginning with `toolspan:`, for anything else, a frozen runnable, or an option that cannot work
 */
export function instrumentTool(tool: object, options: RecorderOptions = {}): () => void {
  const recorder = createAdapterRecorder(options);
  if (isObjectWith(tool, "call") && isObjectWith(tool, "_call")) return watchCalls(baseOf(tool), tool, recorder);
  if (isObjectWith(tool, "invoke")) return watchMethod(tool, "invoke", tool, recorder, recordInvoke);
  throw new TypeError("toolspan: instrumentTool needs a LangChain tool: one made by tool(), a class, or asTool()");
}

/** LangChain's own `call`, below those of subclasses, which all come to it. */
function baseOf(tool: object): object {
  let base = tool;
  for (let at: object | null = tool; at; at = Object.getPrototypeOf(at) as object | null) {
    if (Object.hasOwn(at, "call")) base = at;
  }
  return base;
}

function watchCalls(base: object, subject: object, recorder: AdapterRecorder): () => void {
  if (readsPrivateMembers(read(base, "call") as Method)) {
    createGuard().warn(
      "private",
      "this LangChain's call reads private members and is left alone; use a ToolspanHandler",
    );
    return () => {};
  }
  return watchMethod(base, "call", subject, recorder, (own, called) => recordCall(own, base, called));
}

function isObjectWith(value: unknown, method: string): value is object {
  return typeof read(value, method) === "function";
}
