import { ToolMessage } from "@langchain/core/messages";
import { expect, it } from "vitest";
import { answersIn } from "../../../src/adapters/langchain/answers.ts";
import type { ChainRun } from "../../../src/adapters/langchain/chain-run.ts";
import { noteAsked, openChainRun } from "../../../src/adapters/langchain/chain-run.ts";
import { unrunCalls } from "../../../src/adapters/langchain/unrun-call.ts";

const nodeOf = (given: unknown = []): ChainRun =>
  openChainRun({}, given, { run: undefined, key: "above" }, { langgraph_node: "tools" }, "tools");
const message = (status: "error" | "success", id = "c1", name: string | undefined = "t") =>
  new ToolMessage({ content: "body", tool_call_id: id, status, ...(name && { name }) });
const unrun = (node: ChainRun, ...messages: readonly ToolMessage[]) => unrunCalls(answersIn(messages), node);
const call = { callId: "c1", parentKey: "above", agentName: undefined };
const failure = { kind: "error", type: "tool_error", message: "body" };

it("an answer is one call, told once", () => {
  const node = nodeOf();
  expect(unrun(node, message("success"), message("error"))).toEqual([
    { call: { ...call, name: "t" }, outcome: { kind: "ok" } },
  ]);
});

it.each([
  ["without a call id", nodeOf(), ""],
  ["of an earlier turn, which the node was given", nodeOf([message("success")]), "c1"],
])("none is an answer %s", (_title, node, id) => {
  expect(unrun(node, message("error", id))).toEqual([]);
});

it("a call asked for anew is answered anew, whatever the node was given", () => {
  const node = nodeOf([message("success")]);
  noteAsked(node.ledger, "c1", "t");
  expect(unrun(node, message("error"))).toEqual([{ call: { ...call, name: "t" }, outcome: failure }]);
});

it("what a node emits in which a model ran is its structured output, then and later", () => {
  const node = nodeOf();
  node.ranModel = true;
  expect(unrun(node, message("success"))).toEqual([]);
  node.ranModel = false;
  expect(unrun(node, message("success"))).toEqual([]);
});

it("the name is the one asked for, else the answer's, else none", () => {
  const node = nodeOf();
  noteAsked(node.ledger, "c1", "asked");
  const names = unrun(node, message("success"), message("success", "c2"), message("success", "c3", "")).map(
    (one) => one.call.name,
  );
  expect(names).toEqual(["asked", "t", ""]);
});

it("a tool is unknown where the call failed, the offer is known, and it was not in that", () => {
  const node = nodeOf();
  const failed = (id: string) => unrun(node, message("error", id))[0];
  expect(failed("c1")).toEqual({ call: { ...call, name: "t" }, outcome: failure });
  node.ledger.offered = new Set(["u"]);
  expect(failed("c2")).toEqual({
    call: { ...call, callId: "c2", name: "unknown_tool", requestedTool: "t" },
    outcome: { ...failure, type: "unknown_tool" },
  });
  expect(unrun(node, message("success", "c3"))[0]!.call.name).toBe("t");
  node.ledger.offered = new Set(["t"]);
  expect(failed("c4")).toEqual({ call: { ...call, callId: "c4", name: "t" }, outcome: failure });
});
