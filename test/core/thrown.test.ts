import { Command, GraphInterrupt, NodeInterrupt, ParentCommand } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { classify } from "../../src/core/classify.ts";
import type { CallFacts } from "../../src/core/call.ts";

const meaning = (error: unknown, call?: CallFacts): [string, string | undefined] => {
  const outcome = classify({ kind: "threw", error }, [], call);
  return [outcome.kind, outcome.kind === "error" ? outcome.type : undefined];
};
const abortError = () => new DOMException("This operation was aborted", "AbortError");
const timeoutError = () => new DOMException("The operation was aborted due to timeout", "TimeoutError");
const named = (name: string, fields: object = {}) => Object.assign(new Error("no"), { name, ...fields });
const mcpError = (code: number, data?: object) => named("McpError", { code, data });

describe("control flow is known by the framework's mark", () => {
  const parentCommand = new ParentCommand(new Command({ graph: Command.PARENT, goto: "other" }));
  it.each([
    ["GraphInterrupt", new GraphInterrupt([]), "interrupted"],
    ["NodeInterrupt", new NodeInterrupt("wait"), "interrupted"],
    ["ParentCommand", parentCommand, "handoff"],
    [
      "a bubble-up of another copy that names itself an interrupt",
      named("GraphInterrupt", { is_bubble_up: true }),
      "interrupted",
    ],
    ["a plain marked object with interrupts", { is_bubble_up: true, interrupts: [] }, "interrupted"],
    ["any other marked value", { is_bubble_up: true }, "handoff"],
  ])("%s", (_title, error, kind) => {
    expect(meaning(error)).toEqual([kind, undefined]);
  });

  it.each([
    ["an error that only calls itself so", named("GraphInterrupt")],
    ["a mark that is not true", named("GraphInterrupt", { is_bubble_up: "yes" })],
    ["interrupts without the mark", named("GraphInterrupt", { interrupts: [] })],
  ])("%s is an error", (_title, error) => {
    expect(meaning(error)).toEqual(["error", "GraphInterrupt"]);
  });

  it("keeps what was thrown, for the log of who asks", () => {
    const error = new NodeInterrupt("wait");
    expect(classify({ kind: "threw", error })).toEqual({ kind: "interrupted", thrown: { error } });
  });
});

describe("without a signal in sight", () => {
  it.each([
    ["a DOMException AbortError", abortError()],
    ["an Error named AbortError", named("AbortError")],
    ["Node's ABORT_ERR", named("Error", { code: "ABORT_ERR" })],
    ["axios' ERR_CANCELED", named("CanceledError", { code: "ERR_CANCELED" })],
    ["OpenAI's APIUserAbortError, named Error", new (class APIUserAbortError extends Error {})("Request was aborted.")],
  ])("%s is cancelled", (_title, error) => {
    expect(meaning(error)).toEqual(["cancelled", undefined]);
    expect(classify({ kind: "threw", error })).toMatchObject({ message: (error as Error).message, thrown: { error } });
  });

  it.each([
    ["a text that speaks of an abort", new Error("connection aborted by peer"), "Error"],
    ["an error whose cause is an abort", new Error("fetch failed", { cause: abortError() }), "Error"],
    ["the word itself", "AbortError", "_OTHER"],
  ])("%s is an error", (_title, error, type) => {
    expect(meaning(error)).toEqual(["error", type]);
  });
});

describe("deadlines", () => {
  it.each([
    ["TimeoutError", timeoutError()],
    ["a class's own TimeoutError", named("TimeoutError", { code: "E_SLOW" })],
    [
      "an abort caused by a deadline (node:timers/promises)",
      named("AbortError", { code: "ABORT_ERR", cause: timeoutError() }),
    ],
    ["MCP's request timeout", mcpError(-32001, { timeout: 50 })],
  ])("%s", (_title, error) => {
    expect(meaning(error)).toEqual(["error", "timeout"]);
  });

  it.each([
    ["text alone", new Error("killed by timeout"), "Error"],
    ["an MCP error of another code", mcpError(-32000, { timeout: 50 }), "McpError"],
    ["an MCP error without the timeout's data", mcpError(-32001, {}), "McpError"],
    ["another error with that code", named("HttpError", { code: -32001, data: { timeout: 1 } }), "HttpError"],
    [
      "an error caused by a deadline, which is the tool's own",
      new TypeError("no", { cause: timeoutError() }),
      "TypeError",
    ],
  ])("not %s", (_title, error, type) => {
    expect(meaning(error)).toEqual(["error", type]);
  });
});

describe("an error.type that the framework's event tells", () => {
  const told = (error: unknown) => classify({ kind: "threw", error, errorType: "invalid_arguments" });
  it("names a failure, but no deadline, stop or control flow", () => {
    expect(told(new RangeError("no"))).toMatchObject({ kind: "error", type: "invalid_arguments" });
    expect(told(timeoutError())).toMatchObject({ kind: "error", type: "timeout" });
    expect(told(abortError())).toMatchObject({ kind: "cancelled" });
    expect(told(new NodeInterrupt("wait"))).toMatchObject({ kind: "interrupted" });
  });
});

describe("where the caller's signal is known", () => {
  const aborted = (reason?: unknown): CallFacts => ({ signal: AbortSignal.abort(reason) });
  const open: CallFacts = { signal: new AbortController().signal };
  const reason = new Error("user left");
  const nameless = Object.assign(new Error("user left"), { name: undefined });

  it.each([
    ["its reason", reason, aborted(reason)],
    ["its default reason", abortError(), aborted()],
    ["an AbortError of another making", named("AbortError"), aborted("user left")],
    ["an error made from a text", new Error("user left"), aborted("user left")],
    ["LangChain's stand-in for any other reason", new Error("Aborted"), aborted(42)],
    ["LangChain 0.3's word, which it has for every reason", new Error("Aborted"), aborted()],
    ["LangChain's stand-in for a reason without words", new Error("Aborted"), aborted({ by: "user" })],
    ["a wrapper with the reason as its cause", new Error("tool failed", { cause: reason }), aborted(reason)],
    ["a wrapper by text", new Error("Error calling tool: McpError: AbortError: This operation was aborted"), aborted()],
    ["a wrapper of a text reason", new Error("MCP error -32001: user left"), aborted("user left")],
    ["an error made from a reason without a name", new Error(String(nameless)), aborted(nameless)],
    ["a text thrown as it is", "user left", aborted("user left")],
  ])("%s is cancelled", (_title, error, call) => {
    expect(meaning(error, call)).toEqual(["cancelled", undefined]);
  });

  it.each([
    ["an unrelated error while it is aborted", new RangeError("no"), aborted("user left"), "RangeError"],
    ["an unrelated error without a message", named("RangeError", { message: "" }), aborted(""), "RangeError"],
    ["a message that only ends with the word", new Error("the user left"), aborted("left"), "Error"],
    ["the tool's own abort while it is not aborted", abortError(), open, "AbortError"],
    ["its deadline (AbortSignal.timeout)", timeoutError(), aborted(timeoutError()), "timeout"],
    ["an abort made of its deadline", named("AbortError"), aborted(timeoutError()), "timeout"],
    ["LangChain 0.3's word after its deadline", new Error("Aborted"), aborted(timeoutError()), "timeout"],
    ["an unrelated error after its deadline", new RangeError("no"), aborted(timeoutError()), "RangeError"],
  ])("%s is an error", (_title, error, call, type) => {
    expect(meaning(error, call)).toEqual(["error", type]);
  });
});
