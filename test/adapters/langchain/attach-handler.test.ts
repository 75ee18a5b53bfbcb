import * as manager from "@langchain/core/callbacks/manager";
import { tool } from "@langchain/core/tools";
import { afterEach, beforeEach, expect, it } from "vitest";
import { attachHandler } from "../../../src/adapters/langchain/attach-handler.ts";
import { agentOf, ask, makeTool, schema } from "../../support/agent.ts";

const before = Object.getOwnPropertyDescriptor(manager.CallbackManager, "_configureSync")!;
let heard: string[];
beforeEach(() => {
  heard = [];
  attachHandler(manager, listener("toolspan", heard));
});
afterEach(() => {
  Object.defineProperty(manager.CallbackManager, "_configureSync", before);
});

const listener = (name: string, into: string[]) => ({
  name,
  awaitHandlers: true,
  handleToolStart: () => void into.push(`${name} tool`),
  handleChatModelStart: () => void into.push(`${name} chat`),
});

it("hears every run of an agent once, where no callbacks are given", async () => {
  await agentOf([makeTool(() => "fine")]).invoke(ask);
  expect(heard).toEqual(["toolspan chat", "toolspan tool", "toolspan chat"]);
});

it("is attached once, also when it is attached twice, and where a tool calls a tool", async () => {
  attachHandler(manager, listener("toolspan", heard));
  const inner = makeTool(() => "inner");
  await makeTool((input, config) => inner.invoke(input, config as object)).invoke({ q: "x" });
  expect(heard).toEqual(["toolspan tool", "toolspan tool"]);
});

it("comes after the application's own, whose list stays as it was", async () => {
  const own = [listener("own", heard)];
  await makeTool(() => "fine").invoke({ q: "x" }, { callbacks: own });
  expect(heard).toEqual(["own tool", "toolspan tool"]);
  expect(own).toHaveLength(1);
});

it("is not added to a manager which the application made, but to a copy of it", async () => {
  const own = new manager.CallbackManager();
  own.addHandler(listener("own", heard) as never);
  const inner = makeTool(() => "inner");
  const outer = makeTool((input, config) => inner.invoke(input, config as object));
  await outer.invoke({ q: "x" }, { callbacks: own });
  expect(heard).toEqual(["own tool", "toolspan tool", "own tool", "toolspan tool"]);
  expect(own.handlers).toHaveLength(1);
});

it("is left out where the application has one of its name, on the call or on the tool", async () => {
  const theirs: string[] = [];
  const own = listener("toolspan", theirs);
  await makeTool(() => "fine").invoke({ q: "x" }, { callbacks: [own] });
  await tool(async () => "fine", { name: "t", description: "d", schema, callbacks: [own] }).invoke({ q: "x" });
  expect([heard, theirs]).toEqual([[], ["toolspan tool", "toolspan tool"]]);
});

it("passes on tags and metadata", async () => {
  const told: unknown[] = [];
  const own = {
    name: "own",
    handleToolStart: (...[, , , , tags, metadata]: unknown[]) => void told.push([tags, metadata]),
  };
  await makeTool(() => "fine").invoke({ q: "x" }, { callbacks: [own], tags: ["mine"], metadata: { of: "mine" } });
  expect(told).toEqual([[["mine"], expect.objectContaining({ of: "mine" })]]);
});

it("leaves the method where it was", () => {
  const { value: _, ...place } = before;
  expect(Object.getOwnPropertyDescriptor(manager.CallbackManager, "_configureSync")).toMatchObject(place);
});

it("passes on callbacks that it cannot copy", () => {
  class CallbackManager {
    static _configureSync = (...given: unknown[]) => given;
  }
  attachHandler({ CallbackManager }, listener("toolspan", heard));
  const foreign = { handlers: [] };
  expect(CallbackManager._configureSync(foreign, "local")).toEqual([foreign, "local"]);
});

it("leaves alone a module whose CallbackManager it does not know", () => {
  for (const unknown of [{}, { CallbackManager: undefined }, { CallbackManager: class {} }]) {
    expect(() => attachHandler(unknown, listener("toolspan", heard))).not.toThrow();
  }
});
