import type { TraceRequest } from "./otlp.ts";
import { spansOf } from "./otlp.ts";
import { isToolSpan, readRecordings, scenarioOf } from "./recordings.ts";

/** A message that a Command writes into the state, in the words of LangChain. */
export interface Message {
  readonly type: "tool" | "human";
  readonly content: string;
  readonly id?: string;
  readonly status?: "error" | "success";
}

/** A tracer whose recording holds a Command with one failed ToolMessage, and whether its spans say which call they are of. */
export interface CommandTracer {
  readonly tracer: string;
  readonly folder: "python" | "js";
  readonly scenario: string;
  /** The attributes that hold the Command. */
  readonly results: readonly string[];
  readonly saysCall: boolean;
  /** Python's `json.dumps` as it comes, with a blank after each comma and colon. */
  readonly spaced: boolean;
}

const python = { folder: "python", scenario: "ret_command_err", saysCall: true, spaced: false } as const;
const js = { folder: "js", scenario: "js_command_error", saysCall: false, spaced: false } as const;
const RESULT = "gen_ai.tool.call.result";
const ENTITY = "traceloop.entity.output";

export const COMMAND_TRACERS: readonly CommandTracer[] = [
  {
    ...python,
    tracer: "openinference-instrumentation-langchain",
    results: ["output.value"],
    saysCall: false,
    spaced: true,
  },
  { ...python, tracer: "opentelemetry-instrumentation-langchain", results: [RESULT, ENTITY], spaced: true },
  { ...python, tracer: "langsmith-otel", results: ["gen_ai.completion"] },
  { ...python, tracer: "langfuse", results: ["langfuse.observation.output"], spaced: true },
  { ...python, tracer: "opentelemetry-instrumentation-genai-langchain", results: [RESULT] },
  { ...js, tracer: "openinference-langchain-js", results: ["output.value"] },
  { ...js, tracer: "traceloop-langchain-js", results: [ENTITY] },
  { ...js, tracer: "langfuse-langchain-js", results: ["langfuse.observation.output"] },
];

/** The tracer's own recorded span of a Command, with these messages in its Command, each in the tracer's own form. */
export function commandSpan(
  tracer: CommandTracer,
  messages: readonly Message[],
  { asPairs = false }: { readonly asPairs?: boolean } = {},
): TraceRequest {
  return withResults(tracer, (command) => {
    const [template = {}] = command.update.messages;
    const written = messages.map((message) => inFormOf(template, message));
    return { ...command, update: asPairs ? [["messages", written]] : { messages: written } };
  });
}

/** The same span for a tool that returned a value of its own, and for a call without an id if so wanted. */
export function valueSpan(
  tracer: CommandTracer,
  value: unknown,
  { withId }: { readonly withId: boolean },
): TraceRequest {
  const request = withResults(tracer, () => value);
  if (withId) return request;
  return JSON.parse(JSON.stringify(request), (_, part: unknown) => {
    if (typeof part === "string") return part.replaceAll(/"tool_call_id": ?"call_1"/g, '"tool_call_id": null');
    if (!Array.isArray(part)) return part;
    return (part as { key?: string }[]).filter(
      (one) => !/tool\.call\.id$|metadata\.tool_call_id$/.test(one?.key ?? ""),
    );
  }) as TraceRequest;
}

interface RecordedCommand {
  readonly update: { readonly messages: readonly Json[] };
}

function withResults(
  { tracer, folder, scenario, results, spaced }: CommandTracer,
  made: (command: RecordedCommand) => unknown,
): TraceRequest {
  const recording = readRecordings(new URL(`../recordings/${folder}`, import.meta.url).pathname).recordings.find(
    (one) => one.tracer === tracer,
  );
  const request = recording?.request.resourceSpans.find((one) =>
    spansOf({ resourceSpans: [one] }).some((span) => isToolSpan(span) && scenarioOf(span) === scenario),
  );
  if (request === undefined) throw new Error(`${tracer} has no ${scenario}`);
  return {
    resourceSpans: [
      JSON.parse(JSON.stringify(request), (_, value: unknown) => {
        if (!isResult(value, results)) return value;
        return {
          ...value,
          value: { stringValue: rewritten(value.value.stringValue, made, spaced ? spacedJson : JSON.stringify) },
        };
      }) as TraceRequest["resourceSpans"][0],
    ],
  };
}

interface TextAttribute {
  readonly key: string;
  readonly value: { readonly stringValue: string };
}

function isResult(value: unknown, results: readonly string[]): value is TextAttribute {
  return typeof value === "object" && value !== null && "key" in value && results.includes(String(value.key));
}

type Json = Record<string, unknown>;

/** Some tracers write what a tool returned as `output` of an object. */
function rewritten(
  text: string,
  made: (command: RecordedCommand) => unknown,
  toText: (value: unknown) => string,
): string {
  const json = JSON.parse(text) as RecordedCommand & { readonly output?: RecordedCommand };
  return toText(json.output === undefined ? made(json) : { ...json, output: made(json.output) });
}

function spacedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spacedJson).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${spacedJson(member)}`);
  return `{${members.join(", ")}}`;
}

/** The recorded message with other fields: `data` (OpenInference), `kwargs` (LangChain's serialized form), or itself. */
function inFormOf(template: Json, { type, content, id, status }: Message): Json {
  const at = ["data", "kwargs"].find((key) => key in template);
  const fields: Json = { ...((at === undefined ? template : template[at]) as Json), content };
  if ("type" in fields) fields["type"] = type;
  delete fields["status"];
  delete fields["tool_call_id"];
  if (type === "tool") Object.assign(fields, { tool_call_id: id, ...(status && { status }) });
  const name = type === "tool" ? "ToolMessage" : "HumanMessage";
  if (at === undefined) return fields;
  if (at === "data") return { ...template, type, data: fields };
  return { ...template, id: [...(template["id"] as readonly string[]).slice(0, -1), name], kwargs: fields };
}
