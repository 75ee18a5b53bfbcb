import { ToolMessage } from "@langchain/core/messages";
import { expect, it } from "vitest";
import { createLedger } from "../../../src/adapters/langchain/chain-run.ts";
import { settleByAnswers } from "../../../src/adapters/langchain/settle.ts";

const answers = [new ToolMessage({ content: "stopped", tool_call_id: "c1", status: "error" })];
const cancelled = { kind: "cancelled", message: "stop" } as const;
const settled = (signal?: AbortSignal) => {
  const call = { key: "1", name: "t", callId: "c1", ...(signal && { signal }) };
  const end = { kind: "threw", error: new DOMException("stop", "AbortError") } as const;
  const parentEnd = { kind: "returned", value: { messages: answers } } as const;
  return settleByAnswers([{ call, judged: cancelled, end }], parentEnd, { ledger: createLedger() });
};

it("a stop that the node answers was the tool's own, as far as a handler can know", () => {
  expect(settled()).toMatchObject([{ outcome: { kind: "error", type: "AbortError" } }]);
});

it("where the caller's signal was seen it has decided, whatever the node answers", () => {
  expect(settled(AbortSignal.abort())).toMatchObject([{ outcome: cancelled, callOutcome: "error" }]);
});

it("what a tool returned is no answer to the calls in it, nor is it asked for one", () => {
  const end = { kind: "threw", error: new DOMException("stop", "AbortError") } as const;
  const call = { key: "1", name: "t", callId: "c1" };
  const parentEnd = { kind: "returned", value: answers[0] } as const;
  expect(settleByAnswers([{ call, judged: cancelled, end }], parentEnd, undefined)).toEqual([]);
});
