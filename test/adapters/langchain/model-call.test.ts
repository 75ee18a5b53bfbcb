/** What is read of a model call: in the forms in which LangChain's models of several providers give it. */
import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { askedCalls, modelAnswer, modelCall, offeredTools } from "../../../src/adapters/langchain/model-call.ts";
import { asks, toolCall } from "../../support/agent.ts";

const answered = (...messages: readonly AIMessage[]) => ({ generations: [messages.map((message) => ({ message }))] });
const answer = (fields: object = {}) => new AIMessage({ content: "hi", ...fields });

describe("the start of a model call", () => {
  const metadata = { ls_model_name: "m-1", ls_provider: "acme", thread_id: "thread-1" };

  it("the model is that of the request's parameters", () => {
    expect(modelCall([], { invocation_params: { model: "m-2" } }, metadata)).toEqual({
      kind: "chat",
      requestModel: "m-2",
      provider: "acme",
      conversationId: "thread-1",
      inputMessages: expect.any(Function),
    });
  });

  it("else that of LangChain's metadata", () => {
    expect(modelCall([], { invocation_params: {} }, metadata).requestModel).toBe("m-1");
  });

  it("messages of every role, with their parts", () => {
    const image = { type: "image_url", image_url: "data:," };
    const messages = [
      new SystemMessage("be brief"),
      new HumanMessage({ content: [{ type: "text", text: "look" }, image] }),
      new AIMessage({ content: "so", tool_calls: [toolCall("t", { q: "x" }, "c1")] }),
      new ToolMessage({ content: "fine", tool_call_id: "c1" }),
    ];
    expect(modelCall([messages], {}, {}).inputMessages?.()).toEqual([
      { role: "system", parts: [{ type: "text", content: "be brief" }] },
      { role: "user", parts: [{ type: "text", text: "look" }, image] },
      {
        role: "assistant",
        parts: [
          { type: "text", content: "so" },
          { type: "tool_call", id: "c1", name: "t", arguments: { q: "x" } },
        ],
      },
      { role: "tool", parts: [{ type: "tool_call_response", id: "c1", response: "fine" }] },
    ]);
  });

  it("no messages where there are none", () => {
    expect(modelCall(undefined, {}, {}).inputMessages?.()).toEqual([]);
  });
});

describe("the tools a model was offered", () => {
  const offered = (tools: unknown) => [...(offeredTools({ invocation_params: { tools } }) ?? ["not known"])];

  it.each([
    ["OpenAI", [{ type: "function", function: { name: "t" } }, { type: "web_search" }], ["t"]],
    ["Anthropic", [{ name: "t", input_schema: {} }], ["t"]],
    ["Bedrock", [{ toolSpec: { name: "t" } }], ["t"]],
    ["Google", [{ functionDeclarations: [{ name: "t" }, { name: "u" }] }], ["t", "u"]],
    ["an unknown form", [{ definition: { title: "t" } }], ["not known"]],
    ["none that are said", undefined, ["not known"]],
  ])("%s", (_title, tools, names) => {
    expect(offered(tools)).toEqual(names);
  });

  it("as they were bound, where the parameters do not tell", () => {
    expect(offeredTools({ invocation_params: {}, options: { tools: [{ name: "t" }] } })).toEqual(new Set(["t"]));
  });
});

describe("the calls in a model's answer", () => {
  it("of all its messages, by id", () => {
    const output = answered(asks(toolCall("t", {}, "c1"), toolCall("u", {}, "c2")), asks(toolCall("t", {}, "c3")));
    expect(askedCalls(output)).toEqual([
      { id: "c1", name: "t" },
      { id: "c2", name: "u" },
      { id: "c3", name: "t" },
    ]);
  });

  it("none without an id or a name, none in what is no answer", () => {
    const { id: _, ...unidentified } = toolCall("t");
    expect(askedCalls(answered(asks(unidentified as never, toolCall("", {}, "c1"))))).toEqual([]);
    expect(askedCalls({ generations: [[{ text: "of a model that does not chat" }], undefined] })).toEqual([]);
    expect(askedCalls(undefined)).toEqual([]);
  });
});

describe("what a model's answer says of itself", () => {
  const nothing = {
    responseModel: undefined,
    responseId: undefined,
    finishReasons: undefined,
    inputTokens: undefined,
    outputTokens: undefined,
    outputMessages: expect.any(Function),
  };
  const told = { responseModel: "m-1", responseId: "r1", finishReasons: ["stop"] };
  const metadata = (fields: object) => answer({ response_metadata: fields });

  it.each([
    ["OpenAI", metadata({ model_name: "m-1", id: "r1", finish_reason: "stop" }), told],
    ["Anthropic", metadata({ model: "m-1", id: "r1", stop_reason: "stop" }), told],
    ["Google", metadata({ model: "m-1", id: "r1", finishReason: "stop" }), told],
    ["an id of the message's own", answer({ id: "chatcmpl-1" }), { responseId: "chatcmpl-1" }],
    ["not an id that LangChain made", answer({ id: "run-0198" }), {}],
    ["nothing", answer(), {}],
  ])("%s", (_title, message, wanted) => {
    expect(modelAnswer(answered(message))).toEqual({ ...nothing, ...wanted });
  });

  it("a reason for each of its messages, or none", () => {
    const [stopped, silent] = [metadata({ finish_reason: "stop" }), answer()];
    expect(modelAnswer(answered(stopped, stopped)).finishReasons).toEqual(["stop", "stop"]);
    expect(modelAnswer(answered(stopped, silent)).finishReasons).toBeUndefined();
    expect(modelAnswer(answered()).finishReasons).toBeUndefined();
  });

  it.each([
    ["the message's", { usage_metadata: { input_tokens: 12, output_tokens: 3 } }, undefined, [12, 3]],
    ["the output's", {}, { promptTokens: 12, completionTokens: 3 }, [12, 3]],
    ["numbers only", { usage_metadata: { input_tokens: Number.NaN, output_tokens: "3" } }, undefined, []],
  ])("the tokens: %s", (_title, fields, tokenUsage, [inputTokens, outputTokens]) => {
    const output = { ...answered(answer(fields)), llmOutput: { tokenUsage } };
    expect(modelAnswer(output)).toMatchObject({ inputTokens, outputTokens });
  });

  it("its messages", () => {
    expect(modelAnswer(answered(answer())).outputMessages?.()).toEqual([
      { role: "assistant", parts: [{ type: "text", content: "hi" }] },
    ]);
  });
});
