import { AIMessage } from "@langchain/core/messages";
import { Command, Send } from "@langchain/langgraph";
import { expect, it } from "vitest";
import { answersIn } from "../../../src/adapters/langchain/answers.ts";
import { answer } from "../../support/agent.ts";

const message = answer("error");
const told = [{ callId: "call_1", name: "t", status: "error", message }];

it.each([
  ["a message", message, told],
  ["a state, with what is no answer beside it", { messages: [new AIMessage("hi"), "text", null, message] }, told],
  ["lists within lists", [[new Command({ update: { messages: [message] } })], [[message]]], [...told, ...told]],
  ["a Send: a router hands whole states on with it", [new Send("tools", { messages: [message] })], []],
  ["nothing", undefined, []],
])("the answers in %s", (_title, outputs, answers) => {
  expect(answersIn(outputs)).toEqual(answers);
});

it("they lie at most five deep; what holds itself comes to an end", () => {
  expect(answersIn([[[[[message]]]]])).toEqual(told);
  expect(answersIn([[[[[[message]]]]]])).toEqual([]);
  const cyclic: unknown[] = [];
  cyclic.push(cyclic);
  expect(answersIn(cyclic)).toEqual([]);
});
