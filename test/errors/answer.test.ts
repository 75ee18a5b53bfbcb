import { ToolMessage } from "@langchain/core/messages";
import { Command } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { handleErrors } from "../../src/adapters/langchain-errors.ts";
import { ToolException } from "../../src/index.ts";
import { makeTool, toolCall } from "../support/agent.ts";
import { all, invoke, throwing } from "../support/invoked.ts";
import { failed, succeeded } from "../support/traced.ts";

const failing = throwing(new ToolException("no"));

/** What the call gets whose error the handler answers with the content. */
const answered = async (content: unknown, input: unknown = toolCall("t")) =>
  (await invoke(handleErrors(failing, { handleToolError: () => content }), input)).value;

const text = { type: "text", text: "no" };

describe("the answer to a call with an id is a ToolMessage", () => {
  it.each([
    ["a text", "no", "no"],
    ["content blocks", [text, text], [text, text]],
    ["no block at all", [], []],
    ["blocks and others, as JSON", [text, { text: "no" }], '[{"type":"text","text":"no"},{"text":"no"}]'],
    ["texts, as JSON", ["no", "no"], '["no","no"]'],
    ["a list of what has no fields, as JSON", [null, 1], "[null,1]"],
    ["an object, as JSON", { code: 503 }, '{"code":503}'],
    ["a number, as JSON", 503, "503"],
    ["nothing, as no text", undefined, ""],
  ])("of %s", async (_title, told, content) => {
    const message = await answered(told);
    expect(ToolMessage.isInstance(message)).toBe(true);
    expect(message).toMatchObject({ status: "error", content, tool_call_id: "call_1", name: "t" });
  });

  it.each([
    ["ToolMessage", new ToolMessage({ content: "built", tool_call_id: "call_1" })],
    ["Command", new Command({ update: { messages: [] } })],
  ])("but a %s that the handler built passes through", async (_title, built) => {
    expect(await answered(built)).toBe(built);
  });

  it("without an id it is the bare content", async () => {
    const content = [text];
    expect(await answered(content, { q: "x" })).toBe(content);
  });
});

describe("a tool whose result has an artifact", () => {
  const returning = (value: unknown) =>
    handleErrors(
      makeTool(() => value, { responseFormat: "content_and_artifact" }),
      all,
    );

  it("that succeeds is not touched", async () => {
    const { value, verdict } = await invoke(returning(["3 rows", [1, 2, 3]]), toolCall("t"));
    expect([value, verdict]).toEqual([
      expect.objectContaining({ content: "3 rows", artifact: [1, 2, 3], status: "success" }),
      succeeded,
    ]);
  });

  it("that fails answers without one", async () => {
    const thrower = makeTool(() => Promise.reject(new ToolException("no")), { responseFormat: "content_and_artifact" });
    const { value, verdict } = await invoke(handleErrors(thrower, all), toolCall("t"));
    expect([value, verdict]).toEqual([
      expect.objectContaining({ content: "no", artifact: undefined, status: "error" }),
      failed("ToolException"),
    ]);
  });

  it.each([
    ["no list", { a: 1 }],
    ["a text of two letters", "ab"],
    ["a list of three", [1, 2, 3]],
    ["nothing", undefined],
  ])("that returns %s ends its run with LangChain's error", async (_title, value) => {
    const { error, verdict, span } = await invoke(returning(value));
    const plain = makeTool(() => value, { responseFormat: "content_and_artifact" });
    const [original] = await Promise.allSettled([plain.invoke({ q: "x" })]);
    expect(error).toStrictEqual((original as PromiseRejectedResult).reason);
    expect(verdict).toEqual(failed("invalid_result"));
    expect(span.status.message).toBe(
      'Tool response format is "content_and_artifact" but the output was not a two-tuple.',
    );
  });
});
