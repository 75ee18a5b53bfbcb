/** The wrap goes on once, comes off without a trace, and beside a handler is still one span a run. */
import { createRequire } from "node:module";
import { RunnableLambda } from "@langchain/core/runnables";
import * as tools from "@langchain/core/tools";
import { StructuredTool } from "@langchain/core/tools";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { type Attributes, context, metrics, trace } from "@opentelemetry/api";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  instrumentLangChain,
  instrumentTool,
  LangChainInstrumentation,
  ToolspanHandler,
} from "../../../src/adapters/langchain.ts";
import { agentOf, answer, ask, asks, done, makeTool, schema, toolCall } from "../../support/agent.ts";
import { unwatch, watched } from "../../support/judged.ts";
import { said } from "../../support/said.ts";
import { settle, sleep } from "../../support/situations.ts";
import { failed, succeeded, traced, unfailed, useContextManager, verdict } from "../../support/traced.ts";

const lines = said();
beforeAll(useContextManager);
afterEach(unwatch);

const activeId = () => trace.getSpan(context.active())?.spanContext().spanId;

const asTool = (func: (input: { q: string }) => unknown) =>
  RunnableLambda.from(async (input: { q: string }) => func(input)).asTool({
    name: "lambda",
    description: "d",
    schema,
  });

describe("handler and wrap together", () => {
  it("make one span a run, with the id and the count of one", async () => {
    const { config, spans, counts, tracerProvider } = watched("both");
    const inside = makeTool(() => tracerProvider.getTracer("tool").startSpan("inside").end());
    await new ToolNode([inside]).invoke(
      { messages: [asks(toolCall("t"), toolCall("t", { q: "y" }, "call_2"))] },
      config,
    );
    expect(
      spans()
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(["execute_tool t", "execute_tool t", "inside", "inside"]);
    expect((await counts()).map(({ count }) => count)).toEqual([2]);
  });

  it("bear one agent's name on span and metric, and none where a sub-agent has none", async () => {
    const { config, spans, counts } = watched("both");
    const sub = agentOf([makeTool(() => "fine")]);
    const task = makeTool(async (_, inside) => (await sub.invoke(ask, inside)).messages.length, { name: "task" });
    await agentOf([task], { name: "main" }, [asks(toolCall("task")), done]).invoke(ask, config);
    const namesOf = (all: readonly { readonly attributes: Attributes }[]) =>
      Object.fromEntries(
        all.map(({ attributes }) => [attributes["gen_ai.tool.name"], attributes["gen_ai.agent.name"]]),
      );
    expect(namesOf(spans())).toEqual({ t: undefined, task: "main" });
    expect(namesOf(await counts())).toEqual({ t: undefined, task: "main" });
  });

  it("with providers of their own each make theirs", async () => {
    const [one, other] = [watched("wrap"), traced()];
    const handler = new ToolspanHandler({ tracerProvider: other.tracerProvider, meterProvider: other.meterProvider });
    await makeTool(() => "x").invoke({ q: "x" }, { callbacks: [handler] });
    expect([one.spans().length, other.spans().length]).toEqual([1, 1]);
  });
});

const before = Object.getOwnPropertyDescriptor(StructuredTool.prototype, "call");

describe("the wrap", () => {
  it("goes on once and comes off without a trace", async () => {
    const { tracerProvider, onlySpan, spans } = traced();
    const undo = instrumentLangChain(tools, { tracerProvider });
    expect(instrumentLangChain(tools)).toBe(undo);
    const one = makeTool(() => "x");
    const keys = Reflect.ownKeys(one);
    await one.invoke({ q: "x" });
    expect(onlySpan().name).toBe("execute_tool t");
    expect(Reflect.ownKeys(one)).toEqual(keys);
    undo();
    undo();
    expect(Object.getOwnPropertyDescriptor(StructuredTool.prototype, "call")).toEqual(before);
    await one.invoke({ q: "x" });
    expect(spans()).toHaveLength(1);
  });

  it("stays silent under another's wrap when it is taken off", async () => {
    const { tracerProvider, spans } = traced();
    const undo = instrumentLangChain(tools, { tracerProvider });
    const ours = StructuredTool.prototype.call;
    StructuredTool.prototype.call = function call(...args) {
      return ours.apply(this, args);
    };
    undo();
    expect(StructuredTool.prototype.call).not.toBe(before?.value);
    await makeTool(() => "x").invoke({ q: "x" });
    Object.defineProperty(StructuredTool.prototype, "call", before!);
    expect(spans()).toEqual([]);
  });

  it("of the CommonJS copy is one of its own", async () => {
    const { tracerProvider, spans } = traced();
    const copy = createRequire(import.meta.url)("@langchain/core/tools") as typeof tools;
    expect(copy.StructuredTool).not.toBe(StructuredTool);
    const undo = instrumentLangChain(copy, { tracerProvider });
    await makeTool(() => "x").invoke({ q: "x" });
    expect(spans()).toEqual([]);
    await copy.tool(async () => "x", { name: "copy", description: "d", schema }).invoke({ q: "x" });
    undo();
    expect(spans().map(({ name }) => name)).toEqual(["execute_tool copy"]);
  });

  it("leaves alone a LangChain whose call reads private members", async () => {
    class Guarded {
      readonly #words = "mine";
      async call() {
        return this.#words;
      }
      _call() {}
    }
    const own = Object.getOwnPropertyDescriptor(Guarded.prototype, "call");
    instrumentLangChain({ StructuredTool: Guarded })();
    expect(lines.splice(0)).toEqual([expect.stringContaining("reads private members and is left alone")]);
    instrumentTool(new Guarded())();
    expect(lines.splice(0)).toHaveLength(1);
    expect(Object.getOwnPropertyDescriptor(Guarded.prototype, "call")).toEqual(own);
    expect(await new Guarded().call()).toBe("mine");
  });

  it.each([
    [
      "a module without StructuredTool",
      () => instrumentLangChain({}),
      /^toolspan: instrumentLangChain needs the module/,
    ],
    [
      "a function, which has a `call`",
      () => instrumentTool(() => {}),
      /^toolspan: instrumentTool needs a LangChain tool/,
    ],
    ["half a tool", () => instrumentTool({ _call() {} }), /^toolspan: instrumentTool needs a LangChain tool/],
    ["what is no tool", () => instrumentTool({}), /^toolspan: instrumentTool needs a LangChain tool/],
    [
      "a frozen runnable",
      () => instrumentTool(Object.freeze(asTool(() => "x"))),
      /^toolspan: invoke of a frozen object/,
    ],
    [
      "an unknown option",
      () =>
        instrumentTool(
          makeTool(() => "x"),
          { nope: 1 } as object,
        ),
      /^toolspan: unknown option "nope"/,
    ],
  ])("refuses %s", (_title, instrument, words) => {
    expect(instrument).toThrow(TypeError);
    expect(instrument).toThrow(words);
  });

  it("passes on the very result and the very error", async () => {
    const error = new Error("mine");
    const result = { same: true };
    const run = async (body: () => unknown) => makeTool(body).invoke({ q: "x" });
    watched("wrap");
    expect(await run(() => result)).toBe(result);
    await expect(run(() => Promise.reject(error))).rejects.toBe(error);
  });
});

describe("instrumentTool", () => {
  it("watches one tool, with or without the wrap of all, and comes off", async () => {
    const { spans, tracerProvider } = watched("wrap");
    const one = makeTool(() => "x");
    const undo = instrumentTool(one, { tracerProvider });
    expect(instrumentTool(one)).toBe(undo);
    expect(Object.keys(one)).not.toContain("call");
    await one.invoke(toolCall("t"));
    expect(spans()).toHaveLength(1);
    unwatch();
    await one.invoke(toolCall("t"));
    await makeTool(() => "other").invoke(toolCall("t"));
    expect(spans()).toHaveLength(2);
    undo();
    expect(Object.getOwnPropertyDescriptor(StructuredTool.prototype, "call")).toEqual(before);
    await one.invoke(toolCall("t"));
    expect(spans()).toHaveLength(2);
  });

  it.each([
    ["an answer", () => "x", toolCall("lambda"), succeeded],
    ["a failure", () => Promise.reject(new RangeError("no")), toolCall("lambda"), failed("RangeError")],
    ["a failed message", () => answer("error"), toolCall("lambda"), failed("tool_error")],
    ["refused arguments", () => "x", toolCall("lambda", { bad: 1 }), failed("invalid_arguments")],
  ])("watches a runnable that was made a tool: %s", async (_title, func, call, wanted) => {
    const { tracerProvider, onlySpan, spans } = traced();
    let inside: string | undefined;
    const one = asTool((input) => {
      inside = activeId();
      return (func as (input: unknown) => unknown)(input);
    });
    const undo = instrumentTool(one, { tracerProvider });
    await settle(() => one.invoke(call as never));
    expect(verdict(onlySpan())).toEqual(wanted);
    const isRefused = "bad" in call.args;
    expect(onlySpan().attributes["toolspan.executed"]).toBe(isRefused ? false : undefined);
    expect(inside).toBe(isRefused ? undefined : onlySpan().spanContext().spanId);
    undo();
    expect(Object.hasOwn(one, "invoke")).toBe(false);
    await settle(() => one.invoke(call as never));
    expect(spans()).toHaveLength(1);
  });
});

describe("in an agent, beside a handler", () => {
  it.each([
    ["a runnable that was made a tool", { q: "x" }, succeeded, undefined],
    ["one whose arguments are refused", { bad: 1 }, failed("invalid_arguments"), false],
  ])("%s is one span, not one more for the node's answer", async (_title, args, wanted, isExecuted) => {
    const { config, onlySpan, counts, tracerProvider, meterProvider } = watched("both");
    const one = asTool(() => "fine");
    instrumentTool(one, { tracerProvider, meterProvider });
    await agentOf([one], {}, [asks(toolCall("lambda", args)), done]).invoke(ask, config);
    expect(verdict(onlySpan())).toEqual(wanted);
    expect(onlySpan().attributes["toolspan.executed"]).toBe(isExecuted);
    expect((await counts()).map(({ count }) => count)).toEqual([1]);
  });
});

it("in an agent, beside a handler, a stop that the tool does not heed is a stop", async () => {
  const { config, onlySpan, failures } = watched("both");
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 20);
  const deaf = makeTool(() => sleep(60));
  await settle(() => agentOf([deaf]).invoke(ask, { ...config, signal: controller.signal } as never));
  expect(verdict(onlySpan())).toEqual(unfailed("cancelled"));
  expect(await failures()).toBe(0);
});

describe("LangChainInstrumentation", () => {
  it("is switched on by being made, follows its providers, and is switched off", async () => {
    const [one, other] = [traced(), traced()];
    const instrumentation = new LangChainInstrumentation(tools, { tracerProvider: one.tracerProvider });
    const run = () => makeTool(() => "x").invoke({ q: "x" });
    await run();
    instrumentation.setTracerProvider(other.tracerProvider);
    instrumentation.setMeterProvider(other.meterProvider);
    await run();
    expect([one.spans().length, other.spans().length, (await other.counts()).length]).toEqual([1, 1, 1]);
    expect(instrumentation.getConfig()).toMatchObject({ enabled: true, tracerProvider: other.tracerProvider });
    instrumentation.disable();
    instrumentation.disable();
    await run();
    expect(other.spans()).toHaveLength(1);
    instrumentation.enable();
    await run();
    instrumentation.disable();
    expect(other.spans()).toHaveLength(2);
  });

  it("looks a global provider up late, whichever is given", () => {
    const instrumentation = new LangChainInstrumentation(tools, { enabled: false });
    instrumentation.setTracerProvider(trace.getTracerProvider());
    instrumentation.setMeterProvider(metrics.getMeterProvider());
    expect(instrumentation.getConfig()).toEqual({ enabled: false });
    expect(Object.getOwnPropertyDescriptor(StructuredTool.prototype, "call")).toEqual(before);
  });

  it("waits for enable() where it is told to", async () => {
    const { tracerProvider, spans } = traced();
    const instrumentation = new LangChainInstrumentation(tools, { enabled: false });
    instrumentation.setTracerProvider(tracerProvider);
    await makeTool(() => "x").invoke({ q: "x" });
    expect(spans()).toEqual([]);
    instrumentation.enable();
    await makeTool(() => "x").invoke({ q: "x" });
    instrumentation.setConfig({ tracerProvider });
    expect(instrumentation.getConfig().enabled).toBe(true);
    instrumentation.disable();
    instrumentation.setConfig({ tracerProvider });
    await makeTool(() => "x").invoke({ q: "x" });
    expect(spans()).toHaveLength(1);
  });
});
