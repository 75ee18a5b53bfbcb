import { ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { classify, resultBlock, type SettledCall, ToolError, ToolException } from "../../src/index.ts";
import { failed, succeeded, verdict } from "../support/traced.ts";
import { watched } from "../support/watched.ts";

const call = { callId: "c1", name: "weather" };
const returned = (value: unknown): SettledCall => ({ ...call, value });
const threw = (error: unknown): SettledCall => ({ ...call, error });

const all = (settled: SettledCall) => ({
  openaiChat: resultBlock.openaiChat(settled),
  openaiResponses: resultBlock.openaiResponses(settled),
  anthropic: resultBlock.anthropic(settled),
  bedrock: resultBlock.bedrock(settled),
  gemini: resultBlock.gemini(settled),
  aiSdk: resultBlock.aiSdk(settled),
});

describe("a settled call as each provider's block", () => {
  it("a text", () => {
    expect(all(returned("sunny"))).toEqual({
      openaiChat: { role: "tool", tool_call_id: "c1", content: "sunny" },
      openaiResponses: { type: "function_call_output", call_id: "c1", output: "sunny" },
      anthropic: { type: "tool_result", tool_use_id: "c1", content: "sunny" },
      bedrock: { toolResult: { toolUseId: "c1", content: [{ text: "sunny" }], status: "success" } },
      gemini: { functionResponse: { id: "c1", name: "weather", response: { output: "sunny" } } },
      aiSdk: {
        type: "tool-result",
        toolCallId: "c1",
        toolName: "weather",
        output: { type: "text", value: "sunny" },
      },
    });
  });

  it("a value, as JSON has it", () => {
    const value = { degrees: 21n, at: new Date(0), error: null };
    const plain = { degrees: "21", at: "1970-01-01T00:00:00.000Z", error: null };
    const text = JSON.stringify(plain);
    expect(all(returned(value))).toEqual({
      openaiChat: { role: "tool", tool_call_id: "c1", content: text },
      openaiResponses: { type: "function_call_output", call_id: "c1", output: text },
      anthropic: { type: "tool_result", tool_use_id: "c1", content: text },
      bedrock: { toolResult: { toolUseId: "c1", content: [{ json: plain }], status: "success" } },
      gemini: { functionResponse: { id: "c1", name: "weather", response: { output: plain } } },
      aiSdk: { type: "tool-result", toolCallId: "c1", toolName: "weather", output: { type: "json", value: plain } },
    });
  });

  it("an error", () => {
    expect(all(threw(new TypeError("no such city")))).toEqual({
      openaiChat: { role: "tool", tool_call_id: "c1", content: '{"error":"no such city"}' },
      openaiResponses: { type: "function_call_output", call_id: "c1", output: '{"error":"no such city"}' },
      anthropic: { type: "tool_result", tool_use_id: "c1", content: "no such city", is_error: true },
      bedrock: { toolResult: { toolUseId: "c1", content: [{ text: "no such city" }], status: "error" } },
      gemini: { functionResponse: { id: "c1", name: "weather", response: { error: "no such city" } } },
      aiSdk: {
        type: "tool-result",
        toolCallId: "c1",
        toolName: "weather",
        output: { type: "error-text", value: "no such city" },
      },
    });
  });

  it("an error with a value", () => {
    const value = { code: "E_CITY" };
    expect(all(threw(ToolError.json(value)))).toEqual({
      openaiChat: { role: "tool", tool_call_id: "c1", content: '{"error":{"code":"E_CITY"}}' },
      openaiResponses: { type: "function_call_output", call_id: "c1", output: '{"error":{"code":"E_CITY"}}' },
      anthropic: { type: "tool_result", tool_use_id: "c1", content: '{"code":"E_CITY"}', is_error: true },
      bedrock: { toolResult: { toolUseId: "c1", content: [{ json: value }], status: "error" } },
      gemini: { functionResponse: { id: "c1", name: "weather", response: { error: value } } },
      aiSdk: { type: "tool-result", toolCallId: "c1", toolName: "weather", output: { type: "error-json", value } },
    });
  });

  it.each([
    ["a ToolError", ToolError.timeout(5), "tool execution timed out after 5ms"],
    ["a kind of a later version", later("quota", "used up"), "used up"],
    ["a ToolException", new ToolException("no"), "no"],
    ["a ToolException with an empty text", new ToolException(""), ""],
    ["a ToolException without an argument", new ToolException(), "Tool execution error"],
    ["a ToolError with causes", ToolError.message("no", { cause: new Error("why") }), "no"],
    ["a ToolError of a later version without words", later("quota", undefined), "Error"],
    ["a ToolException of @langchain/mcp-adapters without words", mcpException(""), "Tool execution error"],
    ["a ToolException of @langchain/mcp-adapters", mcpException("upstream 503"), "upstream 503"],
    ["an error with causes", new Error("no", { cause: new Error("why") }), "no; cause: why"],
    ["no error at all", undefined, "threw undefined"],
  ])("%s is told in its words", (_title, error, text) => {
    expect(resultBlock.anthropic(threw(error))).toMatchObject({ content: text, is_error: true });
  });

  it("a ToolException is told in the form of its argument: a text as text, any other as JSON", () => {
    expect(resultBlock.aiSdk(threw(new ToolException("no"))).output).toEqual({ type: "error-text", value: "no" });
    const output = { type: "error-json", value: { code: 503 } };
    expect(resultBlock.aiSdk(threw(new ToolException({ code: 503 }))).output).toEqual(output);
  });

  it("a cancelled ToolError is thrown on: there is no result, and the loop stops", () => {
    const error = ToolError.cancelled();
    for (const format of Object.values(resultBlock)) expect(() => format(threw(error))).toThrow(error);
  });

  it.each([
    ["an MCP result", { isError: true, content: [{ type: "text", text: "upstream 503" }] }],
    ["a ToolMessage", new ToolMessage({ content: "upstream 503", tool_call_id: "c1", status: "error" })],
  ])("%s that reports a failure is one", (_title, value) => {
    const blocks = all(returned(value));
    expect(blocks.openaiChat.content).toBe('{"error":"upstream 503"}');
    expect(blocks.anthropic).toMatchObject({ content: "upstream 503", is_error: true });
    expect(blocks.bedrock.toolResult).toMatchObject({ content: [{ text: "upstream 503" }], status: "error" });
    expect(blocks.gemini.functionResponse.response).toEqual({ error: "upstream 503" });
    expect(blocks.aiSdk.output).toEqual({ type: "error-text", value: "upstream 503" });
  });

  it("a ToolMessage that fails without a word of text is told by its content", () => {
    const content = [{ type: "image_url", image_url: "data:," }];
    const value = new ToolMessage({ content, tool_call_id: "c1", status: "error" });
    expect(resultBlock.anthropic(returned(value))).toMatchObject({
      content: '[{"type":"image_url","image_url":"data:,"}]',
      is_error: true,
    });
  });

  it("a good ToolMessage is its content", () => {
    const value = new ToolMessage({ content: "sunny", tool_call_id: "c1", status: "success" });
    expect(resultBlock.anthropic(returned(value))).toEqual({
      type: "tool_result",
      tool_use_id: "c1",
      content: "sunny",
    });
  });

  it("data that speaks of errors is no failure", () => {
    expect(resultBlock.anthropic(returned({ status: "error", error: "none" }))).not.toHaveProperty("is_error");
    expect(resultBlock.bedrock(returned("0 errors found")).toolResult.status).toBe("success");
  });

  it.each([
    ["nothing", undefined, [{ text: "null" }]],
    ["an empty text", "", []],
    ["a blank text", " \n", []],
    ["a list", [1], [{ text: "[1]" }]],
    ["a number", 21, [{ text: "21" }]],
  ])("Bedrock takes only objects as JSON, and no blank text: %s", (_title, value, content) => {
    expect(resultBlock.bedrock(returned(value)).toolResult.content).toEqual(content);
  });

  it("Gemini's id is written only where there is one", () => {
    expect(resultBlock.gemini({ name: "weather", value: 1 })).toStrictEqual({
      functionResponse: { name: "weather", response: { output: 1 } },
    });
  });

  it("a block with a flag means to the rules of the spans what the call meant", () => {
    for (const format of [resultBlock.anthropic, resultBlock.bedrock, resultBlock.aiSdk]) {
      expect(classify({ kind: "returned", value: format(threw(new Error("no"))) })).toMatchObject({ kind: "error" });
      expect(classify({ kind: "returned", value: format(returned("fine")) })).toEqual({ kind: "ok" });
    }
  });
});

it("a plain loop: each call is recorded, and answered with what it came to", async () => {
  const { recorder, spans } = watched();
  const tools: Readonly<Record<string, () => Promise<unknown>>> = {
    sunny: async () => "sunny",
    city: () => Promise.reject(ToolError.json({ code: "E_CITY" })),
    slow: () => Promise.reject(ToolError.timeout(50)),
  };
  const blocks: object[] = [];
  for (const [name, run] of Object.entries(tools)) {
    const asked = { callId: `call_${name}`, name };
    const settled = await recorder.run(asked, run).then(
      (value) => ({ ...asked, value }),
      (error: unknown) => ({ ...asked, error }),
    );
    blocks.push(resultBlock.anthropic(settled));
  }
  expect(spans().map(verdict)).toEqual([succeeded, failed("E_CITY"), failed("timeout")]);
  expect(blocks).toMatchObject([
    { tool_use_id: "call_sunny", content: "sunny" },
    { tool_use_id: "call_city", is_error: true },
    { tool_use_id: "call_slow", is_error: true },
  ]);
});

function later(kind: string, message: string | undefined): Error {
  return Object.assign(new Error(), { [Symbol.for("toolspan.ToolError")]: true, kind, message });
}

function mcpException(message: string): Error {
  return Object.assign(new Error(message), { name: "ToolException" });
}
