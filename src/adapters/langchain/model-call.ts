import { read, readItems, readText } from "../../core/read.ts";
import { serializedClass } from "../../core/tool-message.ts";
import type { ChatAnswer, ChatDrawing } from "../../span/drawing.ts";

/** What the start of a chat model's run says of it. LangChain's models tell their name and provider in `ls_…` metadata. */
export function modelCall(model: unknown, messages: unknown, extra: unknown, metadata: unknown): ChatDrawing {
  const params = read(extra, "invocation_params");
  return {
    kind: "chat",
    requestModel: readText(params, "model") ?? readText(params, "model_name") ?? readText(metadata, "ls_model_name"),
    provider: readText(metadata, "ls_provider") ?? providerOf(serializedClass(model)),
    conversationId: readText(metadata, "thread_id"),
    inputMessages: () => readItems(messages)?.flatMap((batch) => (readItems(batch) ?? [batch]).map(plainMessage)),
  };
}

/** `ChatOpenAI` is OpenAI's. */
function providerOf(className: string): string | undefined {
  return /^Chat([A-Z]\w*)$/.exec(className)?.[1]?.toLowerCase();
}

/** The names of the tools a model was offered; nothing where its parameters do not say. */
export function offeredTools(extra: unknown): ReadonlySet<string> | undefined {
  const params = read(extra, "invocation_params");
  const tools = readItems(read(params, "tools")) ?? readItems(read(read(extra, "options"), "tools"));
  const names = tools?.map((tool) => readText(read(tool, "function"), "name") ?? readText(tool, "name"));
  return names && new Set(names.filter((name) => name !== undefined));
}

/** The calls in a model's answer, by id. */
export function askedCalls(output: unknown): readonly { readonly id: string; readonly name: string }[] {
  return answeredMessages(output).flatMap((message) =>
    (readItems(read(message, "tool_calls")) ?? []).flatMap((call) => {
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
    responseId: readText(metadata, "id") ?? readText(first, "id"),
    finishReasons: reasons.every((reason) => reason !== undefined) && reasons.length > 0 ? reasons : undefined,
    inputTokens: count(read(usage, "input_tokens")) ?? count(read(oldUsage, "promptTokens")),
    outputTokens: count(read(usage, "output_tokens")) ?? count(read(oldUsage, "completionTokens")),
    outputMessages: () => messages.map(plainMessage),
  };
}

function finishReason(metadata: unknown): string | undefined {
  return readText(metadata, "finish_reason") ?? readText(metadata, "stop_reason") ?? readText(metadata, "finishReason");
}

function answeredMessages(output: unknown): readonly unknown[] {
  const generations = readItems(read(output, "generations")) ?? [];
  return generations
    .flatMap((batch) => readItems(batch) ?? [])
    .map((generation) => read(generation, "message"))
    .filter((message) => message !== undefined);
}

function count(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

const ROLES: Readonly<Record<string, string>> = { human: "user", ai: "assistant", system: "system", tool: "tool" };

/** A message in the conventions' form: a role and parts. */
function plainMessage(message: unknown): unknown {
  const type = readText(message, "type") ?? "";
  const content = read(message, "content");
  const text = typeof content === "string" ? [{ type: "text", content }] : (readItems(content) ?? []);
  const calls = (readItems(read(message, "tool_calls")) ?? []).map((call) => ({
    type: "tool_call",
    id: read(call, "id"),
    name: read(call, "name"),
    arguments: read(call, "args"),
  }));
  const answer = { type: "tool_call_response", id: read(message, "tool_call_id"), response: content };
  return { role: ROLES[type] ?? type, parts: type === "tool" ? [answer] : [...text, ...calls] };
}
