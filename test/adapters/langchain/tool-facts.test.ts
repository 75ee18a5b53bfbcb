import { CallbackManager } from "@langchain/core/callbacks/manager";
import { StructuredTool } from "@langchain/core/tools";
import { expect, it } from "vitest";
import { resultParts, toolFacts } from "../../../src/adapters/langchain/tool-facts.ts";
import { makeTool, schema, toolCall } from "../../support/agent.ts";

const search = makeTool(() => "x", { name: "search" });

class Nameless extends StructuredTool {
  name = "";
  description = "";
  schema = schema;
  async _call() {
    return "x";
  }
}

it("a tool without a name has that of its class, and one without a class none", () => {
  expect(toolFacts(search, {}, {}).name).toBe("search");
  expect(toolFacts(new Nameless(), {}, {}).name).toBe("Nameless");
  expect(toolFacts(Object.create(null) as object, {}, {}).name).toBe("");
});

it("arguments may have fields that a model's call has too", () => {
  const args = { id: "order 7", args: ["-v"] };
  expect(toolFacts(search, args, {})).toMatchObject({ args, callId: undefined });
});

it("of a model's call the arguments and the id are told; else the id of the call in the config", () => {
  const call = toolCall("search", { q: "y" }, "call_7");
  expect(toolFacts(search, call, {})).toMatchObject({ args: { q: "y" }, callId: "call_7" });
  expect(toolFacts(search, { q: "y" }, { toolCall: call })).toMatchObject({ args: { q: "y" }, callId: "call_7" });
});

it("the run knows its agent and its parent better than the config of the call", async () => {
  const handlers = [{ name: "one", handleToolStart() {} }];
  const outer = CallbackManager.configure(handlers, undefined, undefined, undefined, { lc_agent_name: "inner" })!;
  const run = await outer.handleToolStart({ lc: 1, type: "not_implemented", id: [] }, "{}", "run-1");
  const config = { metadata: { lc_agent_name: "outer" }, callbacks: { _parentRunId: "other" } };
  expect(toolFacts(search, {}, config, run)).toMatchObject({
    key: "run-1",
    agentName: "inner",
    parentKey: undefined,
  });
  expect(toolFacts(search, {}, config)).toMatchObject({ agentName: "outer", parentKey: "other" });
});

it("a key of its own where there is no run", () => {
  const { key } = toolFacts(search, {}, {});
  expect(typeof key === "symbol" && key.description).toBe("search");
  expect(toolFacts(search, {}, {}).key).not.toBe(key);
});

it("a signal is told, and nothing that only sits in its place", () => {
  const { signal } = new AbortController();
  expect(toolFacts(search, {}, { signal }).signal).toBe(signal);
  expect(toolFacts(search, {}, { signal: "SIGTERM" }).signal).toBeUndefined();
});

it("a result is one value, but for a content and its artifact", () => {
  const artifactTool = makeTool(() => "x", { responseFormat: "content_and_artifact" });
  const pair = ["text", { rows: 1 }];
  expect(resultParts(search, pair)).toEqual([pair]);
  expect(resultParts(artifactTool, pair)).toEqual(pair);
  expect(resultParts(artifactTool, ["text", [1, 2]])).toEqual(["text"]);
  expect(resultParts(artifactTool, ["text"])).toEqual([["text"]]);
});
