import { read, readItems, readText } from "../../core/read.ts";
import type { ChatAnswer, ChatDrawing } from "../../span/drawing.ts";

/** What the start of a chat model's run says of it. LangChain's models tell their name and provider in `ls_…` metadata. */
export function modelCall(messages: unknown, extra: unknown, metadata: unknown): ChatDrawing {
  const params = read(extra, "invocation_params");
  return {
    kind: "chat",
    requestModel: readText(params, "model") ?? readText(metadata, "ls_model_name"),
    provider: readText(metadata, "ls_provider"),
    conversationId: readText(metadata, "thread_id"),
    inputMessages: () => items(messages).flatMap(items).map(plainMessage),
  };
}

/** The names of the tools a model was offered; nothing where its parameters name none: they may be in a form not known here. */
export function offeredTools(extra: unknown): ReadonlySet<string> | undefined {
  const params = read(extra, "invocation_params");
  const tools = readItems(read(params, "tools")) ?? readItems(read(read(extra, "options"), "tools"));
  const names = tools?.flatMap(declarations).flatMap((tool) => readText(tool, "name") ?? []);
  return names?.length ? new Set(names) : undefined;
}

/** Where providers put a tool's name: Anthropic with the tool, OpenAI and Bedrock one below it, Google several in one. */
function declarations(tool: unknown): readonly unknown[] {
  return [tool, read(tool, "function"), read(tool, "toolSpec"), ...items(read(tool, "functionDeclarations"))];
}

/** The calls in a model's answer, by id. */
export function askedCalls(output: unknown): readonly { readonly id: string; readonly name: string }[] {
  return answeredMessages(output).flatMap((message) =>
    items(read(message, "tool_calls")).flatMap((call) => {
      const [id, name] = [readText(call, "id"), readText(call, "name")];
      return id !== undefined && name !== undefined ? [{ id, name }] : [];
    }),
  );
}

/** What a model's answer says of itself: which model, why it stopped, how many tokens. */
export function modelAnswer(output: unknown): ChatAnswer {
  const messages = answeredMessages(output);
  const [first] = messages;
  const metadata = read(first, "response_metadata");
  const usage = read(first, "usage_metadata");
  const oldUsage = read(read(output, "llmOutput"), "tokenUsage");
  const reasons = messages.map((message) => finishReason(read(message, "response_metadata")));
  return {
    responseModel: readText(metadata, "model_name") ?? readText(metadata, "model"),
    responseId: readText(metadata, "id") ?? providerId(readText(first, "id")),
    finishReasons: reasons.every((reason) => reason !== undefined) && reasons.length > 0 ? reasons : undefined,
    inputTokens: count(read(usage, "input_tokens")) ?? count(read(oldUsage, "promptTokens")),
    outputTokens: count(read(usage, "output_tokens")) ?? count(read(oldUsage, "completionTokens")),
    outputMessages: () => messages.map(plainMessage),
  };
}

/** LangChain names a message that has no id of its provider's after its own run. */
function providerId(id: string | undefined): string | undefined {
  return id?.startsWith("run-") ? undefined : id;
}

function finishReason(metadata: unknown): string | undefined {
  return readText(metadata, "finish_reason") ?? readText(metadata, "stop_reason") ?? readText(metadata, "finishReason");
}

function answeredMessages(output: unknown): readonly unknown[] {
  return items(read(output, "generations"))
    .flatMap(items)
    .map((generation) => read(generation, "message"));
}

function items(value: unknown): readonly unknown[] {
  return readItems(value) ?? [];
}

function count(value: unknown): number | undefined {
  return Number.isFinite(value) ? (value as number) : undefined;
}

/** Where the conventions' word is another than LangChain's. */
const ROLES: ReadonlyMap<unknown, string> = new Map([
  ["human", "user"],
  ["ai", "assistant"],
]);

/** A message in the conventions' form: a role and parts. */
function plainMessage(message: unknown): unknown {
  const type = read(message, "type");
  const content = read(message, "content");
  const text = typeof content === "string" ? [{ type: "text", content }] : items(content);
  const calls = items(read(message, "tool_calls")).map((call) => ({
    type: "tool_call",
    id: read(call, "id"),
    name: read(call, "name"),
    arguments: read(call, "args"),
  }));
  const answer = { type: "tool_call_response", id: read(message, "tool_call_id"), response: content };
  return { role: ROLES.get(type) ?? type, parts: type === "tool" ? [answer] : [...text, ...calls] };
}
