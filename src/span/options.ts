import type { Attributes, MeterProvider, TracerProvider } from "@opentelemetry/api";
import type { CallFacts } from "../core/call.ts";
import type { Rule } from "../core/rules.ts";
import { defaultRules } from "../core/rules.ts";
import type { Drawing } from "./drawing.ts";
import type { Guard } from "./guard.ts";
import { createGuard } from "./guard.ts";
import type { Settler } from "./registry.ts";

/** What of a call's content is written to its span. */
export interface CaptureContent {
  /** `gen_ai.tool.call.arguments`. @default false */
  readonly arguments?: boolean;
  /** `gen_ai.tool.call.result`, of calls that succeeded. @default false */
  readonly results?: boolean;
  /** `gen_ai.input.messages` and `gen_ai.output.messages` of model calls. @default false */
  readonly messages?: boolean;
}

export interface Limits {
  /** Bytes of UTF-8 in each content attribute. @default 8192 */
  readonly contentBytes?: number;
  /** Characters of a status description or exception message. @default 256 */
  readonly messageLength?: number;
  /** Runs open at one time; beyond it the oldest is closed as `abandoned`. @default 100000 */
  readonly openRuns?: number;
  /** Milliseconds after which a run without an end is closed as `abandoned`. @default 3600000 (an hour) */
  readonly runTimeoutMs?: number;
}

/** Where a value handed to `redact` would be written. */
export type ContentPlace = "arguments" | "result" | "messages" | "message";

export interface RecorderOptions {
  /** @default the global one, looked up at each run, so that the order of set-up does not matter */
  readonly tracerProvider?: TracerProvider;
  /** @default the global one, looked up at each run */
  readonly meterProvider?: MeterProvider;
  /**
   * Writes arguments and results to spans. They often hold personal data and secrets.
   * @default `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT` (`true`, `SPAN_ONLY`, `SPAN_AND_EVENT`), else false
   */
  readonly captureContent?: boolean | CaptureContent;
  /**
   * A failure's own text in the status description and the exception event: cut and with secrets masked, or a fixed
   * sentence instead; `"stack"` adds the masked stack to the exception event.
   * @default "masked"
   */
  readonly errorMessages?: "masked" | "off" | "stack";
  /** Has the last word on content before it is written; what it returns is written instead. If it throws, nothing is. */
  readonly redact?: (value: unknown, where: ContentPlace) => unknown;
  /** Calls a returned value a failure (`error.type` is then `tool_error`), for tools that say so only in their own way. */
  readonly isFailure?: (value: unknown, call: CallFacts) => boolean;
  /** Signs of failure of your own, asked before the built-in ones. */
  readonly rules?: readonly Rule[];
  /** Outcomes to be shown as errors, `error.type` being their name. @default [] */
  readonly errorOutcomes?: readonly ("cancelled" | "denied")[];
  /** `"ok"` sets the status OK on success. It is final: nothing later can mark the span an error. @default "unset" */
  readonly successStatus?: "unset" | "ok";
  /** Attributes of your own (session, user, tenant) for the span of a call; never on metrics. */
  readonly attributes?: (call: CallFacts) => Attributes;
  /**
   * `"agent"` draws the agents and their model calls around the tools, where the adapter sees them; `"no-chat"` leaves the model
   * calls to an instrumentation of the model's provider, which draws a `chat` span as well; `"tools"` draws tool spans only, for
   * use beside another tracer.
   * @default "agent"
   */
  readonly spans?: "agent" | "no-chat" | "tools";
  readonly limits?: Limits;
}

/** Options as given, checked and filled in: what a recorder works with. */
export interface Settings {
  readonly given: RecorderOptions;
  /** `OTEL_SDK_DISABLED`: nothing is written and nothing counted. */
  readonly disabled: boolean;
  readonly capture: Required<CaptureContent>;
  readonly errorMessages: "masked" | "off" | "stack";
  readonly rules: readonly Rule[];
  readonly errorOutcomes: ReadonlySet<string>;
  readonly successStatus: "unset" | "ok";
  /** `OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN`: where exceptions are recorded. */
  readonly exceptionSignal: "events" | "logs" | "both";
  readonly limits: Required<Limits>;
  /** What is drawn around the tools. */
  readonly drawn: readonly Drawing["kind"][];
  readonly settler: Settler | undefined;
  readonly guard: Guard;
}

const DEFAULT_LIMITS: Required<Limits> = {
  contentBytes: 8192,
  messageLength: 256,
  openRuns: 100_000,
  runTimeoutMs: 3_600_000,
};

const DRAWN = {
  agent: ["agent", "chat"],
  "no-chat": ["agent"],
  tools: [],
} as const satisfies Readonly<Record<string, readonly Drawing["kind"][]>>;

export type Check = (value: unknown) => string | undefined;

const CHECKS: Readonly<Record<keyof RecorderOptions, Check>> = {
  tracerProvider: hasMethod("getTracer"),
  meterProvider: hasMethod("getMeter"),
  captureContent: (value) =>
    typeof value === "boolean"
      ? undefined
      : fields({ arguments: isBoolean, results: isBoolean, messages: isBoolean })(value),
  errorMessages: oneOf("masked", "off", "stack"),
  redact: isFunction,
  isFailure: isFunction,
  rules: listOf(isFunction),
  errorOutcomes: listOf(oneOf("cancelled", "denied")),
  successStatus: oneOf("unset", "ok"),
  attributes: isFunction,
  spans: oneOf("agent", "no-chat", "tools"),
  limits: fields({ contentBytes: isCount, messageLength: isCount, openRuns: isCount, runTimeoutMs: isCount }),
};

/**
 * Checks the options and fills in the defaults.
 * @throws {TypeError} beginning with `toolspan:`, for an unknown option or a value that cannot work
 */
export function resolveOptions(
  options: RecorderOptions = {},
  settler?: Settler,
  environment: NodeJS.ProcessEnv = process.env,
): Settings {
  const fault = fields(CHECKS)(options);
  if (fault) throw new TypeError(`toolspan: ${fault}`);
  return {
    given: options,
    disabled: environment["OTEL_SDK_DISABLED"]?.trim().toLowerCase() === "true",
    capture: captured(options.captureContent ?? captureFromEnvironment(environment)),
    errorMessages: options.errorMessages ?? "masked",
    rules: options.rules ? [...options.rules, ...defaultRules] : defaultRules,
    errorOutcomes: new Set(options.errorOutcomes),
    successStatus: options.successStatus ?? "unset",
    exceptionSignal: exceptionSignal(environment),
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    drawn: DRAWN[options.spans ?? "agent"],
    settler,
    guard: createGuard(),
  };
}

/** Two handlers of one run may be given different options; then the first one's win. */
export function sameOptions(one: RecorderOptions, other: RecorderOptions): boolean {
  const names = Object.keys(CHECKS) as (keyof RecorderOptions)[];
  return names.every(
    (name) =>
      one[name] === other[name] || (isPlain(one[name]) && JSON.stringify(one[name]) === JSON.stringify(other[name])),
  );
}

function isPlain(value: unknown): boolean {
  return typeof value === "object" && (Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype);
}

function captured(capture: boolean | CaptureContent): Required<CaptureContent> {
  if (typeof capture === "boolean") return { arguments: capture, results: capture, messages: capture };
  return {
    arguments: capture.arguments ?? false,
    results: capture.results ?? false,
    messages: capture.messages ?? false,
  };
}

/** Both spellings in use: the boolean of the JavaScript instrumentations, the modes of the Python ones. */
function captureFromEnvironment(environment: NodeJS.ProcessEnv): boolean {
  const value = environment["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"]?.trim().toUpperCase();
  return value === "TRUE" || value === "SPAN_ONLY" || value === "SPAN_AND_EVENT";
}

function exceptionSignal(environment: NodeJS.ProcessEnv): "events" | "logs" | "both" {
  const words = environment["OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN"]?.split(",");
  const chosen = new Set(words?.map((word) => word.trim().toLowerCase()));
  if (chosen.has("logs/dup")) return "both";
  return chosen.has("logs") ? "logs" : "events";
}

export function fields(checks: Readonly<Record<string, Check>>): Check {
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return `options must be an object, not ${show(value)}`;
    for (const [name, given] of Object.entries(value)) {
      const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
      if (!check) return `unknown option "${name}"; known are ${Object.keys(checks).join(", ")}`;
      const fault = given === undefined ? undefined : check(given);
      if (fault) return fault.startsWith("must") ? `option "${name}" ${fault}` : `in option "${name}": ${fault}`;
    }
    return undefined;
  };
}

function isBoolean(value: unknown): string | undefined {
  return typeof value === "boolean" ? undefined : `must be true or false, not ${show(value)}`;
}

function isFunction(value: unknown): string | undefined {
  return typeof value === "function" ? undefined : `must be a function, not ${show(value)}`;
}

export function isCount(value: unknown): string | undefined {
  return Number.isSafeInteger(value) && Number(value) > 0
    ? undefined
    : `must be a whole number above 0, not ${show(value)}`;
}

function hasMethod(method: string): Check {
  return (value) => {
    const has = typeof value === "object" && value !== null && method in value;
    return has ? undefined : `must have a method ${method}, as an OpenTelemetry provider has; got ${show(value)}`;
  };
}

function oneOf(...allowed: readonly string[]): Check {
  const names = allowed.map((name) => `"${name}"`).join(" or ");
  return (value) => (allowed.includes(value as string) ? undefined : `must be ${names}, not ${show(value)}`);
}

function listOf(check: Check): Check {
  return (value) => {
    if (!Array.isArray(value)) return `must be a list, not ${show(value)}`;
    const fault = value.map(check).find(Boolean);
    return fault && `must be a list whose items ${fault}`;
  };
}

export function show(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "a list" : "an object";
  return typeof value === "function" ? "a function" : String(value);
}
