/**
 * Recorded callback sequences (test/fixtures/langchain-js.jsonl): reading them, and playing one to a handler with values of
 * the frameworks' own classes.
 */
import { readFileSync } from "node:fs";
import { ToolMessage } from "@langchain/core/messages";
import {
  Command,
  GraphInterrupt,
  GraphRecursionError,
  type Interrupt,
  NodeInterrupt,
  ParentCommand,
} from "@langchain/langgraph";
import type { ToolspanHandler } from "../../src/adapters/langchain.ts";

export interface View {
  readonly kind: string;
  readonly value?: string;
  readonly status?: string | null;
  readonly tool_call_id?: string;
  readonly name?: string | null;
  readonly ctor?: string;
  readonly message?: string;
  readonly content?: string;
  readonly artifact?: string;
  readonly cause?: string;
  readonly graph?: string;
  readonly goto?: string;
  readonly is_bubble_up?: boolean;
  readonly messages?: readonly View[];
}

export interface RecordedEvent {
  readonly cb: "toolStart" | "toolEnd" | "toolError" | "toolEvent" | "nodeEnd" | "nodeError" | "chainError";
  readonly run: string;
  readonly parent?: string | null;
  readonly node?: string;
  readonly name?: string | null;
  readonly toolCallId?: string | null;
  readonly input?: string;
  readonly output?: View;
  readonly error?: View;
  readonly toolMessages?: readonly View[];
}

export interface RecordedCase {
  readonly case: string;
  readonly group: string;
  readonly events: readonly RecordedEvent[];
  readonly verdict: string;
  readonly runs: Readonly<Record<string, string>>;
  readonly calls?: Readonly<Record<string, string>>;
  readonly decidable: boolean;
  readonly why: string;
}

export function readCases(path: string | URL): readonly RecordedCase[] {
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.filter((line) => line.trim() !== "").map((line) => JSON.parse(line) as RecordedCase);
}

/** A value of the real class from its short view. */
export function revive(view: View): unknown {
  switch (view.kind) {
    case "undefined":
      return undefined;
    case "null":
      return null;
    case "string":
      return view.value;
    case "number":
      return Number(view.value);
    case "bigint":
      return BigInt(view.value!);
    case "boolean":
      return view.value === "true";
    case "Error":
      return reviveError(view);
    case "ToolMessage":
    case "ToolMessageChunk":
      return reviveToolMessage(view);
    case "Command":
      return new Command({
        ...(view.graph ? { graph: view.graph } : {}),
        ...(view.goto ? { goto: JSON.parse(view.goto) as string[] } : {}),
        update: { messages: (view.messages ?? []).map(revive) },
      });
    case "object":
      return reviveObject(view.value ?? "{}");
    default:
      throw new Error(`the recording holds a ${view.kind}, which the replay cannot make yet`);
  }
}

function reviveToolMessage(view: View): ToolMessage {
  return new ToolMessage({
    content: reviveContent(view.content ?? "") as string,
    tool_call_id: view.tool_call_id ?? "",
    ...(view.name ? { name: view.name } : {}),
    ...(view.status ? { status: view.status as "error" | "success" } : {}),
    ...(view.artifact ? { artifact: parseOr(view.artifact, view.artifact) as unknown } : {}),
  });
}

/** The view holds content blocks as JSON, and messages within content in LangChain's serialized form. */
function reviveContent(content: string): unknown {
  if (content.startsWith('[{"lc":1,') && content.includes('"ToolMessage"')) return [reviveClippedMessage(content)];
  return content.startsWith("[{") ? parseOr(content, content) : content;
}

/** The recording is clipped within the status: `"status":"err…`. */
function reviveClippedMessage(json: string): ToolMessage {
  const field = (name: string): string => new RegExp(`"${name}":"([^"]*)`).exec(json)?.[1] ?? "";
  const status = field("status").startsWith("err") ? "error" : "success";
  return new ToolMessage({
    content: field("content"),
    tool_call_id: field("tool_call_id"),
    name: field("name"),
    status,
  });
}

/** JSON text that was clipped when it was recorded stays a text. */
function parseOr(json: string, otherwise: unknown): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return otherwise;
  }
}

function reviveObject(json: string): unknown {
  if (!json.startsWith("<unserialisable: ")) return parseOr(json, { clipped: json });
  if (json.includes("circular")) {
    const circular: Record<string, unknown> = { q: "x" };
    circular["self"] = circular;
    return circular;
  }
  return {
    toJSON() {
      throw new Error("no");
    },
  };
}

function reviveError(view: View): Error {
  const { ctor = "Error", message = "" } = view;
  const name = view.name ?? "Error";
  if (ctor === "DOMException") return new DOMException(message, name);
  const known = knownErrors[ctor];
  if (known) return known(message);
  const options = view.cause ? { cause: Object.assign(new Error("cause"), { name: view.cause }) } : undefined;
  if (ctor === "Error" || ctor === "TypeError") {
    const error = ctor === "TypeError" ? new TypeError(message, options) : new Error(message, options);
    return Object.assign(error, { name });
  }
  // A class that its package does not export: the same name, class name and message.
  const own = { [ctor]: class extends Error {} }[ctor]!;
  return Object.assign(new own(message, options), { name });
}

const knownErrors: Readonly<Record<string, (message: string) => Error>> = {
  GraphInterrupt: (message) => new GraphInterrupt(parseOr(message, [{ value: message }]) as Interrupt[]),
  NodeInterrupt: (message) => new NodeInterrupt(message),
  ParentCommand: () => new ParentCommand(new Command({ graph: Command.PARENT, goto: "other" })),
  GraphRecursionError: (message) => new GraphRecursionError(message),
};

/** Plays the events to the handler, with the chain starts and ends that LangChain sent around them. */
export function play(row: RecordedCase, handler: ToolspanHandler): void {
  const started = new Set<string>();
  const nodes = new Map(row.events.flatMap((event) => (event.node ? [[nodeOf(event), event.node] as const] : [])));
  // The graph around its nodes: the one run that all of a recording's nodes have in common.
  const graph = nodes.size > 0 ? "graph" : undefined;
  const startChain = (...args: unknown[]): void =>
    (handler.handleChainStart as (...given: unknown[]) => void).apply(handler, args);
  if (graph) {
    const id = ["langgraph", "pregel", "CompiledStateGraph"];
    startChain({ lc: 1, type: "not_implemented", id }, {}, graph, undefined, [], {}, undefined, "LangGraph");
  }
  const startParent = (run: string): void => {
    if (started.has(run)) return;
    started.add(run);
    const node = nodes.get(run);
    const metadata = node ? { langgraph_node: node } : {};
    const above = node ? graph : undefined;
    startChain({}, {}, run, above, [], metadata, undefined, node ?? "RunnableSequence");
  };
  for (const event of row.events) {
    const { cb, run } = event;
    const parent = event.parent ?? undefined;
    if (cb === "toolStart") {
      if (parent && !started.has(parent)) startParent(parent);
      started.add(run);
      const metadata = event.node ? { langgraph_node: event.node } : {};
      const tool = { lc: 1, type: "not_implemented", id: ["langchain_core", "tools", "DynamicStructuredTool"] };
      const callId = event.toolCallId ?? undefined;
      handler.handleToolStart(tool, event.input!, run, parent, [], metadata, event.name ?? undefined, callId);
    } else if (cb === "toolEnd") handler.handleToolEnd(revive(event.output!), run, parent);
    else if (cb === "toolError") handler.handleToolError(revive(event.error!), run, parent);
    else if (cb !== "toolEvent") {
      startParent(run);
      if (cb === "nodeEnd") handler.handleChainEnd({ messages: event.toolMessages!.map(revive) }, run);
      else handler.handleChainError(revive(event.error!), run);
    }
  }
  if (graph) handler.handleChainEnd({}, graph);
}

/** A tool event names the node its parent is; a node's own event names itself. */
function nodeOf(event: RecordedEvent): string {
  return event.cb.startsWith("tool") ? (event.parent ?? event.run) : event.run;
}
