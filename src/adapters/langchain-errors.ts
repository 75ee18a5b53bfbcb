import { ToolMessage } from "@langchain/core/messages";
import { Validator } from "@langchain/core/utils/json_schema";
import { interopParseAsync, isInteropZodSchema } from "@langchain/core/utils/types";
import { context } from "@opentelemetry/api";
import { toJson } from "../core/json.ts";
import type { Failure } from "../core/outcome.ts";
import { INVALID_ARGUMENTS, INVALID_RESULT } from "../core/outcome.ts";
import { isObject, read, readItems, readText } from "../core/read.ts";
import { fromThrown } from "../core/thrown.ts";
import type { ErrorPolicy } from "../errors/error-policy.ts";
import { checkPolicy, handlingOf } from "../errors/error-policy.ts";
import { isSchemaError } from "../errors/schema-error.ts";
import { forgetFailure, knowFailure } from "../span/known-failures.ts";
import { isAsyncGenerator } from "../span/run.ts";
import { SUPPRESS_TRACING } from "../span/start-run.ts";

export type { ErrorHandler, ErrorPolicy, ErrorSetting } from "../errors/error-policy.ts";

/** Any tool that LangChain calls, whatever its schema and its version. */
export interface HandleableTool {
  readonly name: string;
  readonly lc_namespace: string[];
  call(...args: never[]): Promise<unknown>;
}

/** What is used of it; `_call` is protected in LangChain's types. */
interface LangChainTool {
  readonly name: string;
  readonly schema: unknown;
  readonly responseFormat?: string;
  call(arg: unknown, config?: unknown, tags?: string[]): Promise<unknown>;
  _call(args: unknown, runManager?: RunManager, config?: RunConfig): unknown;
}

interface RunManager {
  readonly runId: string;
}

interface RunConfig {
  readonly signal?: AbortSignal;
  readonly toolCall?: { readonly id?: string };
}

const HANDLED = Symbol.for("toolspan.handled-errors");

/**
 * Gives LangChain.js what its Python sister has as `handle_tool_error` and `handle_validation_error`: errors that go to the
 * model as the tool's answer instead of ending the agent. The span of such a call is ERROR all the same.
 *
 * The answer is a `ToolMessage` with `status: "error"` where the call has an id, else the bare content. Arguments that are
 * refused make a run that fails, as in Python. A cancelled `ToolError`, control flow, and every error which the policy does
 * not name are thrown on untouched.
 *
 * @param tool of `tool()`, `DynamicStructuredTool`, `DynamicTool`, or a class of `StructuredTool`; it stays as it is
 * @returns a tool to use in its place
 * @throws {TypeError} beginning with `toolspan:`, for a setting that cannot work
 * @example
 * const search = handleErrors(tool(run, { name: "search", schema }), { handleToolError: true });
 */
export function handleErrors<T extends HandleableTool>(tool: T, policy: ErrorPolicy): T {
  checkPolicy(policy);
  if (typeof read(tool, "call") !== "function" || typeof read(tool, "_call") !== "function") {
    throw new TypeError("toolspan: handleErrors takes a tool of tool() or of a class that extends StructuredTool");
  }
  if (read(tool, HANDLED))
    throw new TypeError("toolspan: this tool's errors are handled; give all settings in one call");
  const original = tool as unknown as LangChainTool;
  const methods: Pick<LangChainTool, "call" | "_call"> & ThisType<LangChainTool> = {
    call(arg, config, tags) {
      return callOnce(original, this, arg, config, tags);
    },
    _call(args, runManager, config) {
      return new HandledRun(original, policy, runManager, config).run(args, runManager);
    },
  };
  return derive(tool, { ...methods, [HANDLED]: true });
}

/** The same object but for these properties. */
function derive<T extends object>(base: T, own: object): T {
  return Object.create(base, Object.getOwnPropertyDescriptors(own)) as T;
}

/** Lets LangChain call the tool with a schema that refuses nothing, so that a refusal is an error within the run. */
async function callOnce(
  original: LangChainTool,
  handled: LangChainTool,
  arg: unknown,
  config: unknown,
  tags: string[] | undefined,
): Promise<unknown> {
  // A class whose `call` tries again makes several runs.
  const keys: (string | object)[] = [];
  const once: LangChainTool = derive(handled, {
    schema: likeZod((input) => parse(original, arg, input)),
    _call(args: unknown, runManager: RunManager | undefined, given: RunConfig): unknown {
      const runConfig: RunConfig = isToolCall(arg) ? { ...given, toolCall: arg } : given;
      keys.push(keyOf(runManager, runConfig));
      return handled._call(args, runManager, runConfig);
    },
  });
  try {
    return await original.call.call(once, arg, config, tags);
  } finally {
    for (const key of keys) forgetFailure(key);
  }
}

/** Where nobody listens LangChain gives a run no id, but each its own config. */
function keyOf<Config>(runManager: RunManager | undefined, config: Config): string | Config {
  return runManager?.runId ?? config;
}

function isToolCall(arg: unknown): arg is { readonly id?: string } {
  return read(arg, "type") === "tool_call";
}

/** What LangChain takes for a Zod 3 schema; it asks `parseAsync`, in 0.3 `parse`, and awaits both. */
function likeZod(parseAsync: (input: unknown) => Promise<unknown>): object {
  return { _def: { typeName: "ZodEffects" }, parse: parseAsync, parseAsync };
}

/** Stands for arguments which the schema, or code of the tool's author within it, refused. */
class Refused {
  readonly error: unknown;
  constructor(error: unknown) {
    this.error = error;
  }
}

/** The arguments as LangChain would have parsed them, or why it would not have called the tool. */
async function parse(tool: LangChainTool, arg: unknown, input: unknown): Promise<unknown> {
  const { schema } = tool;
  try {
    if (isInteropZodSchema(schema)) return await interopParseAsync(schema, input);
    if (new Validator(schema as object).validate(input).valid) return input;
    return new Refused(await refusal(tool, arg));
  } catch (error) {
    if (!isSchemaError(error)) return new Refused(error);
    const refusing = derive(tool, { schema: likeZod(() => Promise.reject(error)) });
    return new Refused(await refusal(refusing, arg));
  }
}

/** LangChain's own error for refused arguments. It comes before any handler is told, and tracers are told to look away. */
async function refusal(refusing: LangChainTool, arg: unknown): Promise<unknown> {
  try {
    return await context.with(context.active().setValue(SUPPRESS_TRACING, true), () => refusing.call(arg));
  } catch (error) {
    return error;
  }
}

/** One run of a tool whose errors are handled. */
class HandledRun {
  private readonly tool: LangChainTool;
  private readonly policy: ErrorPolicy;
  private readonly key: string | object | undefined;
  private readonly config: RunConfig | undefined;

  constructor(tool: LangChainTool, policy: ErrorPolicy, runManager?: RunManager, config?: RunConfig) {
    this.tool = tool;
    this.policy = policy;
    this.key = keyOf(runManager, config);
    this.config = config;
  }

  async run(args: unknown, runManager: RunManager | undefined): Promise<unknown> {
    try {
      if (args instanceof Refused) throw args.error;
      const value = await this.tool._call(args, runManager, this.config);
      return isAsyncGenerator(value) ? this.steps(value) : this.inShape(value);
    } catch (error) {
      return this.answer(error, args instanceof Refused && isSchemaError(error) ? INVALID_ARGUMENTS : undefined);
    }
  }

  private async *steps(
    generator: AsyncGenerator<unknown, unknown, unknown>,
  ): AsyncGenerator<unknown, unknown, unknown> {
    try {
      return this.inShape(yield* generator);
    } catch (error) {
      return await this.answer(error);
    }
  }

  /** LangChain throws the same when the tool has returned, and then tells no handler that the run is over. */
  private inShape(value: unknown): unknown {
    if (!this.isPair || (Array.isArray(value) && value.length === 2)) return value;
    const fault = 'Tool response format is "content_and_artifact" but the output was not a two-tuple.';
    const error = new Error(`${fault}\nResult: ${JSON.stringify(value)}`);
    this.know({ kind: "error", type: INVALID_RESULT, message: fault, thrown: { error } });
    throw error;
  }

  /** What the model gets for the error, or the error again. */
  private async answer(error: unknown, type?: string): Promise<unknown> {
    const failure = fromThrown(error, { signal: this.config?.signal }, type);
    if (failure.kind !== "error") throw error;
    const handling = handlingOf(error, this.policy);
    if (!handling) {
      if (type !== undefined) this.know(failure);
      throw error;
    }
    const content: unknown = await handling();
    this.know(failure);
    return this.isPair ? [this.message(content), undefined] : this.message(content);
  }

  private get isPair(): boolean {
    return this.tool.responseFormat === "content_and_artifact";
  }

  private know(failure: Failure): void {
    if (this.key !== undefined) knowFailure(this.key, failure);
  }

  /** What LangChain would make of the content, but with the status of a failure. */
  private message(content: unknown): unknown {
    const callId = readText(this.config?.toolCall, "id");
    if (callId === undefined || read(content, "lc_direct_tool_output") === true) return content;
    const isContent =
      typeof content === "string" || readItems(content)?.every((block) => isObject(block) && "type" in block);
    const text = isContent ? (content as string) : (toJson(content, Number.MAX_SAFE_INTEGER) ?? "");
    return new ToolMessage({ status: "error", content: text, tool_call_id: callId, name: this.tool.name });
  }
}
