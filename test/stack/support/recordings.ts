import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Span, TraceRequest } from "./otlp.ts";
import { linesOf } from "./otlp.ts";

/** What is true of a scenario's call. */
export interface Verdict {
  readonly truth: "ok" | "error" | "not error" | "cancelled" | "no run";
  /** What the framework told its tracers, where that is known: a callback with what it was given. */
  readonly fired?: string;
}

/** One tracer's file. */
export interface Recording {
  /** The file's name without its ending, which is the tracer's. */
  readonly tracer: string;
  /** All its request lines as one request, so that one result which failed its batch would take all the others with it. */
  readonly request: TraceRequest;
}

export interface RecordingFolder {
  readonly recordings: readonly Recording[];
  readonly verdicts: Readonly<Record<string, Verdict>>;
}

/** A folder of `TRACER.json` files with a `verdicts.json`. */
export function readRecordings(folder: string): RecordingFolder {
  const names = readdirSync(folder).filter((name) => name.endsWith(".json") && name !== "verdicts.json");
  const read = (name: string): string => readFileSync(join(folder, name), "utf8");
  return {
    recordings: names.sort().map((name) => ({
      tracer: name.slice(0, -".json".length),
      request: {
        resourceSpans: linesOf(`${read(name)}\n`).flatMap((line) => (JSON.parse(line) as TraceRequest).resourceSpans),
      },
    })),
    verdicts: JSON.parse(read("verdicts.json")) as Readonly<Record<string, Verdict>>,
  };
}

/** Whether a span is that of a tool call, by any tracer's spelling. */
export function isToolSpan({ attributes }: Span): boolean {
  return (
    attributes["gen_ai.operation.name"] === "execute_tool" ||
    attributes["tool.name"] !== undefined ||
    attributes["ai.toolCall.name"] !== undefined ||
    ["traceloop.span.kind", "langfuse.observation.type", "langsmith.span.kind"].some(
      (key) => attributes[key] === "tool",
    )
  );
}

/** The tool's name, by which a scenario is known; a recording of tracers that lose it says so in its resource. */
export function scenarioOf(span: Span): string {
  const { attributes, resource, name } = span;
  const own = [attributes["gen_ai.tool.name"], attributes["tool.name"], attributes["traceloop.entity.name"]];
  const named = resource["recorded.scenario"] ?? own.find((value) => value !== undefined) ?? name;
  return String(named);
}
