import { MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import type { ChainRun } from "../../../src/adapters/langchain/chain-run.ts";
import {
  createLedger,
  noteAsked,
  noteModel,
  noteRefusal,
  noteRun,
  openChainRun,
} from "../../../src/adapters/langchain/chain-run.ts";
import { answer } from "../../support/agent.ts";

const graph = new StateGraph(MessagesAnnotation)
  .addNode("tools", () => ({}))
  .addEdge("__start__", "tools")
  .compile()
  .toJSON();
const messages = [answer("success")];
const open = (parent: ChainRun | undefined, name: string, node?: string, chain: unknown = {}, inputs: unknown = {}) =>
  openChainRun(chain, inputs, { run: parent, key: "above" }, node ? { langgraph_node: node } : {}, name);

describe("a chain run", () => {
  it("is a node where it bears the node's name", () => {
    expect(open(undefined, "tools", "tools").node).toBe("tools");
    expect(open(undefined, "RunnableSequence", "tools").node).toBeUndefined();
  });

  it("is none where it is a graph in the node's place: with a memory of its own it gives out the answers of earlier turns", () => {
    expect(open(undefined, "tools", "tools", graph).node).toBeUndefined();
  });

  it.each([
    ["a state's messages", { messages }, messages],
    ["a list of messages", messages, messages],
    ["nothing", undefined, []],
  ])("a node is given %s", (_title, inputs, given) => {
    expect(open(undefined, "tools", "tools", {}, inputs).given).toEqual(given);
  });

  it("bears the name of the nearest graph, and shares the ledger of the root", () => {
    const root = open(undefined, "desk", undefined, graph);
    const node = open(root, "tools", "tools");
    expect([root.agent, node.agent, node.parent, node.parentKey]).toEqual(["desk", "desk", root, "above"]);
    expect(node.ledger).toBe(root.ledger);
    expect(open(undefined, "desk").ledger).not.toBe(root.ledger);
  });
});

it("a model marks what it ran in up to its node, and nothing around that", () => {
  const outer = open(undefined, "outer", "outer");
  const inner = open(open(outer, "desk", undefined, graph), "model", "model");
  const sequence = open(inner, "RunnableSequence", "model");
  noteModel(sequence);
  expect([sequence.ranModel, inner.ranModel, inner.parent!.ranModel, outer.ranModel]).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

describe("the runs of a call", () => {
  const ended = () => false;

  it("are attempts, one after another, under the name the model asked by", () => {
    const ledger = createLedger();
    noteAsked(ledger, "c1", "t");
    expect(["r1", "r2", "r3"].map((run) => noteRun(ledger, "c1", run, ended))).toEqual([
      { asked: "t", attempt: undefined },
      { asked: "t", attempt: 2 },
      { asked: "t", attempt: 3 },
    ]);
    expect(ledger.settled).toEqual(new Set(["c1"]));
  });

  it("are none while the last of them goes on", () => {
    const ledger = createLedger();
    noteRun(ledger, "c1", "r1", ended);
    expect(noteRun(ledger, "c1", "r2", (run) => run === "r1").attempt).toBeUndefined();
    expect(noteRun(ledger, "c1", "r3", (run) => run === "r1").attempt).toBe(2);
  });

  it("begin with a refusal of its arguments, which is news once", () => {
    const ledger = createLedger();
    expect(["r1", "r2"].map((run) => noteRefusal(ledger, "c1", run))).toEqual([true, false]);
    expect(ledger.settled).toEqual(new Set(["c1"]));
    expect(noteRun(ledger, "c1", "r3", ended).attempt).toBe(2);
    noteAsked(ledger, "c1", "t");
    expect(noteRefusal(ledger, "c1", "r4")).toBe(true);
  });

  it("start anew where the model asks by an id it has used", () => {
    const ledger = createLedger();
    noteRun(ledger, "c1", "r1", ended);
    noteAsked(ledger, "c1", "u");
    expect(ledger.settled).toEqual(new Set());
    expect(noteRun(ledger, "c1", "r2", ended)).toEqual({ asked: "u", attempt: undefined });
  });
});
