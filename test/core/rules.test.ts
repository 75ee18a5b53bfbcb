import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { AIMessage, ToolMessage, ToolMessageChunk } from "@langchain/core/messages";
import { Command } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { classify } from "../../src/core/classify.ts";
import type { CallFacts } from "../../src/core/call.ts";
import { defaultRules } from "../../src/core/rules.ts";
import { resultContent, toolMessagesOf } from "../../src/core/tool-message.ts";

const returned = (value: unknown, call?: CallFacts) => classify({ kind: "returned", value }, defaultRules, call);
const message = (status: "error" | "success" | undefined, id = "c1", fields: object = {}) =>
  new ToolMessage({ content: "boom", tool_call_id: id, ...(status ? { status } : {}), ...fields });
const command = (...messages: unknown[]) => new Command({ update: { messages } as never });
const failure = (text: string, type = "tool_error") => ({ kind: "error", type, message: text });
const c1: CallFacts = { callId: "c1", name: "t" };
const { ToolMessage: other } = createRequire(import.meta.url)("@langchain/core/messages") as {
  ToolMessage: typeof ToolMessage;
};
const emptied = { lc: 1, id: ["langchain_core", "messages", "ToolMessage"], kwargs: "none" };

describe("LangChain tool messages", () => {
  it("of the CommonJS copy are another class", () => {
    expect(other).not.toBe(ToolMessage);
  });

  it.each([
    ["a ToolMessage", message("error")],
    ["one of another module copy", new other({ content: "boom", tool_call_id: "c1", status: "error" })],
    ["a chunk", new ToolMessageChunk({ content: "boom", tool_call_id: "c1", status: "error" })],
    ["one for another call, returned itself", message("error", "c2")],
    ["one with content blocks", message("error", "c1", { content: [{ type: "text", text: "boom" }] })],
    ["one in an array", [message("error")]],
    ["one beside an artifact", [message("error"), { rows: 3 }]],
    ["one within the content of a successful one", message("success", "c1", { content: [message("error")] })],
    ["a Command", command(message("error"))],
    ["a Command with a single message", new Command({ update: { messages: message("error") } })],
    ["a Command whose update is a list of entries", new Command({ update: [["messages", [message("error")]]] })],
    ["a Command with a plain form", command({ type: "tool", tool_call_id: "c1", content: "boom", status: "error" })],
    ["a Command with a role", command({ role: "tool", tool_call_id: "c1", content: "boom", status: "error" })],
    ["a Command with a serialized message", command(JSON.parse(JSON.stringify(message("error"))))],
    ["a Command whose message has no id", command(message("error", ""))],
    ["one whose content is a list of texts", message("error", "c1", { content: ["boom"] })],
    ["one known by getType alone", { getType: (): string => "tool", content: "boom", status: "error" }],
    ["one known by the older _getType alone", { _getType: (): string => "tool", content: "boom", status: "error" }],
    ["an array of Commands", [command(message("success", "c2")), command(message("error"))]],
  ])("%s with status error", (_title, value) => {
    expect(returned(value, c1)).toEqual(failure("boom"));
  });

  it.each([
    ["status success", message("success")],
    ["no status", message(undefined)],
    ["another message that failed", new AIMessage({ content: "boom", additional_kwargs: { status: "error" } })],
    ["a Command for another call", command(message("error", "c2"), message("success"))],
    ["a Command without messages", new Command({ update: { n: 1 } })],
    ["a Command without update", new Command({ goto: "other" })],
    ["a Command that updates another key", new Command({ update: [["other", [message("error")]]] })],
    ["a hand-off", new Command({ graph: Command.PARENT, goto: "other", update: { messages: [message("success")] } })],
    ["an array for another call", [message("error", "c2")]],
    ["a free-form object", { status: "error", content: "boom" }],
    ["a plain form without a call id", { type: "tool", status: "error", content: "boom" }],
    [
      "a serialized message of another kind",
      { lc: 1, id: ["langchain_core", "messages", "AIMessage"], kwargs: { status: "error" } },
    ],
    ["a serialized object of no class", { lc: 1, kwargs: { status: "error" } }],
    [
      "a message of another kind that calls itself so elsewhere",
      { getType: (): string => "ai", role: "tool", tool_call_id: "c1", status: "error", content: "boom" },
    ],
    ["an array of free-form objects", [{ status: "error" }]],
  ])("%s is a success", (_title, value) => {
    expect(returned(value, c1)).toEqual({ kind: "ok" });
  });

  it("without a known call id, a Command's message with the tool's name counts, else any", () => {
    const mixed = command(message("error", "c2"), message("success", "c1", { name: "t" }));
    expect(returned(mixed, { name: "t" })).toEqual({ kind: "ok" });
    expect(returned(mixed, { name: "u" })).toEqual(failure("boom"));
    expect(returned(mixed)).toEqual(failure("boom"));
    const named = command(message("error", "c1", { name: "t" }), message("success", "c2"));
    expect(returned(named)).toEqual(failure("boom"));
  });

  it.each([
    [
      "a code in the structured content of the artifact",
      { structuredContent: { code: "RATE_LIMITED" } },
      "RATE_LIMITED",
    ],
    ["a code that is a sentence", { structuredContent: { code: "rate limited, retry" } }, "tool_error"],
    ["no artifact", null, "tool_error"],
    ["an artifact of another form", { code: "RATE_LIMITED" }, "tool_error"],
  ])("error.type with %s", (_title, artifact, type) => {
    expect(returned(message("error", "c1", { artifact }), c1)).toEqual(failure("boom", type));
  });

  it("a direct output with status error", () => {
    const direct = { lc_direct_tool_output: true, status: "error", content: "bad" };
    expect(returned(direct)).toEqual(failure("bad"));
    expect(returned({ ...direct, status: "ok" })).toEqual({ kind: "ok" });
    expect(returned({ ...direct, lc_direct_tool_output: "yes" })).toEqual({ kind: "ok" });
  });
});

describe("other frameworks' results", () => {
  const text = (value: string) => ({ type: "text", text: value });
  it.each([
    ["MCP", { isError: true, content: [text("A"), { type: "image", data: "" }, text("B")] }, failure("A\nB")],
    ["MCP without content", { isError: true }, failure("")],
    ["MCP with all its fields but content", { isError: true, structuredContent: {}, _meta: {} }, failure("")],
    ["MCP with null content", { isError: true, content: null }, failure("")],
    ["MCP with an empty list and fields of a later version", { isError: true, content: [], more: 1 }, failure("")],
    ["MCP with a block without text", { isError: true, content: [{ type: "text" }] }, failure("")],
    [
      "MCP with a code",
      { isError: true, content: [text("A")], structuredContent: { code: "GONE" } },
      failure("A", "GONE"),
    ],
    [
      "Anthropic",
      { type: "tool_result", tool_use_id: "u", is_error: true, content: "File missing: a.txt" },
      failure("File missing: a.txt"),
    ],
    [
      "Anthropic, blocks",
      { type: "tool_result", tool_use_id: "u", is_error: true, content: [text("no")] },
      failure("no"),
    ],
    ["Bedrock", { toolUseId: "u", status: "error", content: [{ text: "no" }] }, failure("no")],
    [
      "Bedrock in its wrapper",
      { toolResult: { toolUseId: "u", status: "error", content: [{ text: "no" }] } },
      failure("no"),
    ],
    [
      "a success by its status, which is no message",
      { status: "success", type: "tool_result", tool_use_id: "u", is_error: true, content: "no" },
      failure("no"),
    ],
    ["AI SDK error-text", { type: "error-text", value: "no" }, failure("no")],
    [
      "AI SDK error-json",
      { type: "error-json", value: { code: "E_GONE", at: 1 } },
      failure('{"code":"E_GONE","at":1}', "E_GONE"),
    ],
    ["AI SDK error-json without a code", { type: "error-json", value: ["no"] }, failure('["no"]')],
    [
      "AI SDK tool-result part",
      { type: "tool-result", toolCallId: "c", output: { type: "error-text", value: "no" } },
      failure("no"),
    ],
    [
      "AI SDK tool-error part of a refused call",
      { type: "tool-error", toolCallId: "c", error: "no such tool" },
      failure("no such tool"),
    ],
    ["AI SDK denial", { type: "execution-denied", reason: "policy" }, { kind: "denied", message: "policy" }],
    ["AI SDK denial without a reason", { type: "execution-denied" }, { kind: "denied", message: "" }],
  ])("%s", (_title, value, outcome) => {
    expect(returned(value)).toEqual(outcome);
  });

  it("AI SDK's tool-error part holds what the tool threw", () => {
    const error = new TypeError("x");
    expect(returned({ type: "tool-error", toolCallId: "c", error })).toEqual({
      ...failure("x", "TypeError"),
      thrown: { error },
    });
    const timeout = new DOMException("late", "TimeoutError");
    expect(returned({ type: "tool-error", toolCallId: "c", error: timeout })).toMatchObject({ type: "timeout" });
  });

  it.each([
    ["isError false", { isError: false, content: [] }],
    ["isError as a text", { isError: "true", content: [] }],
    ["isError beside data", { isError: true, reason: "declined" }],
    ["isError beside content of another form", { isError: true, content: "text" }],
    ["isError beside a list of texts", { isError: true, content: ["text"] }],
    ["Anthropic success", { type: "tool_result", tool_use_id: "u", is_error: false, content: "no" }],
    ["is_error without the block's id", { type: "tool_result", is_error: true }],
    ["is_error in another block", { type: "text", tool_use_id: "u", is_error: true }],
    ["Bedrock success", { toolUseId: "u", status: "success", content: [] }],
    ["Bedrock without content", { toolUseId: "u", status: "error" }],
    ["status and content without the id", { status: "error", content: [] }],
    ["AI SDK text", { type: "text", value: "no" }],
    ["AI SDK error-text without a text", { type: "error-text", value: 1 }],
    ["AI SDK error-json without a value", { type: "error-json" }],
    [
      "AI SDK tool-result part, success",
      { type: "tool-result", toolCallId: "c", output: { type: "text", value: "no" } },
    ],
    ["AI SDK tool-result part without an id", { type: "tool-result", output: { type: "error-text", value: "no" } }],
    ["AI SDK tool-error part without an id", { type: "tool-error", error: "no" }],
  ])("%s is a success", (_title, value) => {
    expect(returned(value)).toEqual({ kind: "ok" });
  });
});

describe("a tool's own data is no sign of failure", () => {
  it.each([
    ["a text", "Error: not found"],
    ["a text about failures", "ticket: payment failed; 0 errors found"],
    ["error: null", { error: null }],
    ["error: undefined", { server: "x", error: undefined }],
    ["an error field with words", { error: "no route" }],
    ["failed: 0", { failed: 0 }],
    ["success: false", { success: false }],
    ["ok: false", { ok: false }],
    ["undefined", undefined],
    ["null", null],
    ["0", 0],
    ["an Error that was returned", new Error("no")],
    ["a function", () => 1],
  ])("%s", (_title, value) => {
    expect(returned(value)).toEqual({ kind: "ok" });
  });

  it("hostile values neither throw nor fail", () => {
    const { proxy, revoke } = Proxy.revocable([], {});
    revoke();
    const getType = {
      getType: () => {
        throw new Error("no");
      },
      status: "error",
      tool_call_id: "c1",
    };
    const endless = new Proxy([], { get: (_, key) => (key === "length" ? Number.MAX_SAFE_INTEGER : undefined) });
    for (const value of [proxy, getType, endless]) expect(returned(value)).toEqual({ kind: "ok" });
  });
});

describe("rules", () => {
  it("are asked in order, with what is known of the call; the first answer wins", () => {
    const asked: unknown[] = [];
    const silent = (value: unknown, call: CallFacts) => void asked.push(value, call);
    const denies = () => ({ kind: "denied" }) as const;
    expect(classify({ kind: "returned", value: 1 }, [silent, denies, silent], c1)).toEqual({ kind: "denied" });
    expect(asked).toEqual([1, c1]);
  });

  it("are not asked about what was thrown", () => {
    const denies = () => ({ kind: "denied" }) as const;
    expect(classify({ kind: "threw", error: "no" }, [denies])).toMatchObject({ kind: "error" });
  });

  it("are not asked about a message that says success, for each looks at many fields", () => {
    let looks = 0;
    const value = Object.defineProperty(message("success"), "isError", { get: () => looks++ });
    expect(returned(value)).toEqual({ kind: "ok" });
    expect(looks).toBe(0);
  });

  it("are the built-in ones where none are given", () => {
    expect(classify({ kind: "returned", value: message("error") })).toEqual(failure("boom"));
  });

  it("hold a rule for each row of the list of shapes in the README", () => {
    const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
    for (const rule of defaultRules) expect(readme).toContain(`\`${rule.name}\``);
  });
});

describe("toolMessagesOf", () => {
  it("finds nothing in a list of anything else", () => {
    expect(toolMessagesOf([{ a: 1 }, "text", undefined], c1)).toEqual([]);
  });
});

describe("resultContent", () => {
  it.each([
    ["a tool message's content", message("success"), "boom"],
    ["a Command's own message", command(message("success", "c2", { content: "theirs" }), message("success")), "boom"],
    [
      "several own messages",
      command(message("success"), message("success", "c1", { content: "two" })),
      ["boom", "two"],
    ],
    [
      "a Command's update, where it has no message",
      new Command({ update: { n: 1 }, goto: "next" }),
      { update: { n: 1 }, goto: ["next"] },
    ],
    ["any other value", { n: 1 }, { n: 1 }],
    ["a serialized message without its fields", emptied, emptied],
  ])("%s", (_title, value, content) => {
    expect(resultContent(value, c1)).toEqual(content);
  });
});
