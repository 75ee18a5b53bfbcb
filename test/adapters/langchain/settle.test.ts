import { ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { answersIn } from "../../../src/adapters/langchain/answers.ts";
import { createLedger } from "../../../src/adapters/langchain/chain-run.ts";
import { settleByAnswers, textOf } from "../../../src/adapters/langchain/settle.ts";
import type { ToolCall } from "../../../src/core/call.ts";
import type { Outcome } from "../../../src/core/outcome.ts";
import type { PendingRun } from "../../../src/span/registry.ts";

type Status = "error" | "success";

const message = (status?: Status, id = "c1", content = "body") =>
  new ToolMessage({ content, tool_call_id: id, name: "t", ...(status && { status }) });
const ok: Outcome = { kind: "ok" };
const failed: Outcome = { kind: "error", type: "Error", message: "boom" };
const cancelled: Outcome = { kind: "cancelled", message: "stop" };
const threw = (error: unknown) => ({ kind: "threw", error }) as const;
const abort = threw(new DOMException("stop", "AbortError"));
const open = { judged: undefined, end: undefined };
const ended = (judged: Outcome, end: PendingRun["end"] = { kind: "returned", value: "x" }) => ({ judged, end });

function settle(run: Omit<PendingRun, "call"> | readonly Omit<PendingRun, "call">[], answer?: ToolMessage, call = {}) {
  const runs = [run]
    .flat()
    .map((one): PendingRun => ({ call: { key: "1", name: "t", callId: "c1", ...call }, ...one }));
  const parentEnd = { kind: "returned", value: { messages: answer ? [answer] : [] } } as const;
  return settleByAnswers(runs, parentEnd, { ledger: createLedger() });
}

describe("what the node's answer says of a run", () => {
  it.each([
    ["as it ended", ended(ok), "success", { outcome: ok }],
    ["it failed, and so did its call", ended(failed), "error", { outcome: failed }],
    ["its call came back well after all", ended(failed), "success", { outcome: failed, isRecovered: true }],
    [
      "it was stopped, and its call came back well",
      ended(cancelled),
      "success",
      { outcome: cancelled, callOutcome: "ok" },
    ],
    ["its call failed after all", ended(ok), "error", { outcome: ok, callOutcome: "error" }],
    [
      "LangChain made a success of its failed result",
      { ...ended(failed), isLost: true },
      "success",
      { outcome: failed },
    ],
    [
      "its failed result was lost, and its call failed",
      { ...ended(ok), isLost: true },
      "error",
      { outcome: ok, callOutcome: "error" },
    ],
  ] as const)("%s", (_title, run, status, settlement) => {
    expect(settle(run, message(status))).toEqual([settlement]);
  });

  it.each([
    ["without an answer, what its own end means", ended(failed), undefined],
    ["without an answer, nothing of one that goes on", open, undefined],
    ["nothing of one that goes on, by an answer that says no failure", open, message("success")],
    ["nothing by an answer to another call", ended(failed), message("success", "c2")],
  ] as const)("%s", (_title, run, answer) => {
    expect(settle(run, answer)).toEqual([undefined]);
  });

  it("nothing where the node failed itself", () => {
    const run = { call: { key: "1", name: "t", callId: "c1" }, ...ended(failed) };
    expect(settleByAnswers([run], threw(message("success")), { ledger: createLedger() })).toEqual([undefined]);
  });

  it("an error answered for a run that core never ended is its result, which core could not read", () => {
    const outcome = { kind: "error", type: "invalid_result", message: "body" };
    expect(settle(open, message("error"))).toEqual([{ outcome }]);
  });
});

describe("an answer without a status hands on what the call's last run came to", () => {
  it.each([
    ["well", [ended(failed), ended(ok)], [{ outcome: failed, isRecovered: true }, { outcome: ok }]],
    ["failed", [ended(ok), ended(failed)], [{ outcome: ok }, { outcome: failed }]],
    ["not ended", [ended(failed), open], [{ outcome: failed }, undefined]],
  ] as const)("%s", (_title, runs, settlements) => {
    expect(settle(runs, message())).toStrictEqual(settlements);
  });

  it.each([
    ["id", { callId: "c2" }, "c1"],
    ["name, where none has an id", { callId: undefined, name: "u" }, undefined],
  ])("another call is told by its %s", (_title, other, callId) => {
    const call: ToolCall = { key: "1", name: "t", callId };
    const runs = [
      { call, ...ended(failed) },
      { call: { ...call, key: "2", ...other }, ...ended(ok) },
    ];
    const parentEnd = { kind: "returned", value: [message()] } as const;
    expect(settleByAnswers(runs, parentEnd, { ledger: createLedger() })).toEqual([{ outcome: failed }, undefined]);
  });
});

describe("a stop that the node answers", () => {
  const ownStop = { kind: "error", type: "AbortError", message: "stop", thrown: { error: abort.error } };

  it("was the tool's own, as far as a handler can know", () => {
    expect(settle(ended(cancelled, abort), message("error"))).toEqual([{ outcome: ownStop }]);
    expect(settle(ended(cancelled, abort), message("success"))).toEqual([{ outcome: ownStop, isRecovered: true }]);
  });

  it("was not, where the caller's signal was seen: that has decided, whatever the node answers", () => {
    const settled = settle(ended(cancelled, abort), message("error"), { signal: AbortSignal.abort() });
    expect(settled).toEqual([{ outcome: cancelled, callOutcome: "error" }]);
  });

  it("is none where another error was thrown: that keeps its own type", () => {
    const outcome: Outcome = { kind: "error", type: "invalid_result", message: "no pair" };
    expect(settle(ended(outcome, threw(new Error("no pair"))), message("error"))).toEqual([{ outcome }]);
  });
});

it.each([
  ["that has its id, also where its run was told none", "c1", ["c1"]],
  ["and by none without an id", "", []],
])("a call is settled by an answer %s", (_title, id, settled) => {
  const ledger = createLedger();
  const parentEnd = { kind: "returned", value: [message("success", id)] } as const;
  settleByAnswers([{ call: { key: "1", name: "t" }, ...ended(ok) }], parentEnd, { ledger });
  expect(ledger.settled).toEqual(new Set(settled));
});

it.each([
  ["its own words", "Error: boom", "Error: boom"],
  [
    "those of a refusal, without the arguments",
    "Error invoking tool 't' with kwargs {\"q\":1} with error: Error: no q",
    "no q",
  ],
])("an answer's text is %s", (_title, content, text) => {
  expect(textOf(answersIn(message("error", "c1", content))[0]!)).toBe(text);
});

describe("several calls of one id", () => {
  const run = (judged: Outcome, callId: string, attempt?: number): PendingRun => ({
    call: { key: Symbol(callId), name: "t", callId, attempt },
    ...ended(judged),
  });
  const outcomes = (runs: readonly PendingRun[], messages: readonly ToolMessage[]) =>
    settleByAnswers(runs, { kind: "returned", value: { messages } }, { ledger: createLedger() });

  it("have an answer each, in their turn", () => {
    const runs = [run(failed, "dup"), run(ok, "other"), run(ok, "dup")];
    const messages = [message("error", "dup"), message("success", "other"), message("success", "dup")];
    expect(outcomes(runs, messages)).toEqual([{ outcome: failed }, { outcome: ok }, { outcome: ok }]);
  });

  it("but not the runs of one call, which are settled by its last answer", () => {
    const runs = [run(failed, "c1"), run(ok, "c1", 2)];
    const messages = [message("error", "c1"), message("success", "c1")];
    expect(outcomes(runs, messages)).toEqual([{ outcome: failed, isRecovered: true }, { outcome: ok }]);
  });
});
