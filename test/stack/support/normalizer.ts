import type { TraceRequest } from "./otlp.ts";

/**
 * What the Collector's `gen_ai_normalizer` does to tool spans: it renames attributes to those of the GenAI conventions where the target is not there
 * yet, and may remove the originals. The module of the processor is not served where this is tested, so its published tables (its README, sources
 * `openinference` and `openllmetry`) stand here, as far as they can meet a tool's span.
 */
const RENAMES: Readonly<Record<string, string>> = {
  "tool.name": "gen_ai.tool.name",
  "tool.description": "gen_ai.tool.description",
  "tool_call.function.arguments": "gen_ai.tool.call.arguments",
  "tool_call.id": "gen_ai.tool.call.id",
  "session.id": "gen_ai.conversation.id",
  "openinference.span.kind": "gen_ai.operation.name",
  "traceloop.span.kind": "gen_ai.operation.name",
  "traceloop.entity.name": "gen_ai.agent.name",
  "traceloop.entity.input": "gen_ai.input.messages",
  "traceloop.entity.output": "gen_ai.output.messages",
};

const OPERATIONS: Readonly<Record<string, string>> = {
  llm: "chat",
  chain: "invoke_agent",
  tool: "execute_tool",
  agent: "invoke_agent",
  task: "invoke_agent",
  workflow: "invoke_workflow",
};

export function normalized(
  request: TraceRequest,
  { removeOriginals }: { readonly removeOriginals: boolean },
): TraceRequest {
  return {
    resourceSpans: request.resourceSpans.map((resource) => ({
      ...resource,
      scopeSpans: resource.scopeSpans.map((scope) => ({
        ...scope,
        spans: scope.spans.map((span) => ({ ...span, attributes: renamed(span.attributes ?? [], removeOriginals) })),
      })),
    })),
  };
}

type Attribute = NonNullable<TraceRequest["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["attributes"]>[0];

function renamed(attributes: readonly Attribute[], removeOriginals: boolean): readonly Attribute[] {
  const result = new Map(attributes.map((attribute) => [attribute.key, attribute]));
  for (const attribute of attributes) {
    const target = RENAMES[attribute.key];
    if (target === undefined) continue;
    if (removeOriginals) result.delete(attribute.key);
    if (!result.has(target)) result.set(target, { key: target, value: inWordsOf(target, attribute.value) });
  }
  return [...result.values()];
}

function inWordsOf(target: string, value: Attribute["value"]): Attribute["value"] {
  const operation =
    target === "gen_ai.operation.name" &&
    value.stringValue !== undefined &&
    OPERATIONS[value.stringValue.toLowerCase()];
  return operation ? { stringValue: operation } : value;
}
