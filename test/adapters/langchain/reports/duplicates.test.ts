/** Reports of class I: one span and one count for each call, however many hear of it, and none lost to that. */
import * as toolsModule from "@langchain/core/tools";
import { SpanKind } from "@opentelemetry/api";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { instrumentLangChain, instrumentTool, ToolspanHandler } from "../../../../src/adapters/langchain.ts";
import { agentOf, ask, asks, done, fails, makeTool, toolCall } from "../../../support/agent.ts";
import { unwatch, watched } from "../../../support/judged.ts";
import { mcpSetting, text } from "../../../support/mcp-server.ts";
import { said } from "../../../support/said.ts";
import type { Mode } from "../../../support/situations.ts";
import { pathsOf } from "../../../support/span-tree.ts";
import { talliesOf } from "../../../support/tallies.ts";
import type { Traced } from "../../../support/traced.ts";
import { failed, succeeded, traced, useContextManager, verdict } from "../../../support/traced.ts";

beforeAll(useContextManager);
const lines = said();
const undoing: (() => void)[] = [];
afterEach(() => {
  unwatch();
  for (const undo of undoing.splice(0).toReversed()) undo();
});

const modes: readonly Mode[] = ["handler", "wrap", "both"];

describe.each(modes)("with %s", (mode) => {
  it("R53: a tool's MCP call is no second one, and those of a user's hooks are counted too", async () => {
    const { config, spans, allSpans, counts } = watched(mode);
    const { tools, called } = await mcpSetting(
      { m1: () => text("one"), m2: () => text("two") },
      {
        async beforeToolCall({ name }) {
          if (name === "m1") await tools["m2"]!.invoke(toolCall("m2", { q: "y" }, "hook_1"));
        },
      },
    );
    await agentOf([tools["m1"]], {}, [asks(toolCall("m1", { q: "x" }, "c1")), done]).invoke(ask, config);
    expect(called).toEqual(["m2", "m1"]);
    const counted = (await counts()).map(({ attributes, count }) => [attributes["gen_ai.tool.name"], count]);
    expect(counted.toSorted()).toEqual([
      ["m1", 1],
      ["m2", 1],
    ]);
    expect(
      spans()
        .map((span) => [span.attributes["gen_ai.tool.call.id"], verdict(span)])
        .toSorted(),
    ).toEqual([
      ["c1", succeeded],
      ["hook_1", succeeded],
    ]);
    // A handler hears that the node has called m2.
    const above = { handler: "invoke_agent", wrap: "execute_tool m1", both: "invoke_agent > execute_tool m1" };
    expect(pathsOf(allSpans())).toContain(`${above[mode]} > execute_tool m2`);
  });

  it("R53: beside an instrumentation of the MCP client, whose span is the tool's child and no tool call of ours", async () => {
    const { config, allSpans, counts, tracerProvider } = watched(mode);
    const tracer = tracerProvider.getTracer("mcp-client");
    const { client, called } = await mcpSetting({
      m1: () => ({ isError: true, ...text("no") }),
      m2: () => text("two"),
    });
    const original = client.callTool.bind(client);
    client.callTool = (async (params: { name: string }) =>
      tracer.startActiveSpan(`tools/call ${params.name}`, { kind: SpanKind.CLIENT }, async (span) => {
        const result = await original(params);
        span.end();
        return result;
      })) as never;
    const own = makeTool(async () => {
      const first = await client.callTool({ name: "m1" });
      await client.callTool({ name: "m2" });
      return first["isError"] === true ? "coped" : "fine";
    });
    await agentOf([own]).invoke(ask, config);
    expect(called).toEqual(["m1", "m2"]);
    const of = mode === "handler" ? "" : `${mode === "both" ? "invoke_agent > " : ""}execute_tool t > `;
    expect(pathsOf(allSpans())).toEqual(expect.arrayContaining([`${of}tools/call m1`, `${of}tools/call m2`]));
    expect((await counts()).map(({ attributes, count }) => [attributes["gen_ai.tool.name"], count])).toEqual([
      ["t", 1],
    ]);
  });
});

type Providers = Pick<Traced, "tracerProvider" | "meterProvider">;
type Callbacks = object[];
const providersOf = ({ tracerProvider, meterProvider }: Traced): Providers => ({ tracerProvider, meterProvider });

/** Another copy of this library, as a second version of the package would load it. */
async function secondCopy(): Promise<{
  ToolspanHandler: typeof ToolspanHandler;
  instrumentLangChain: typeof instrumentLangChain;
}> {
  vi.resetModules();
  return import("../../../../src/adapters/langchain.ts");
}

/** What an application registers, more than once: the callbacks of the call, and of the agent itself. */
const registered: Readonly<Record<string, (to: Providers) => Promise<readonly [Callbacks, Callbacks?]>>> = {
  "one handler, twice": async (to) => {
    const one = new ToolspanHandler(to);
    return [[one, one]];
  },
  "two handlers": async (to) => [[new ToolspanHandler(to), new ToolspanHandler(to)]],
  "one on the agent, one on the call": async (to) => [[new ToolspanHandler(to)], [new ToolspanHandler(to)]],
  "a handler, and the wrap": async (to) => {
    undoing.push(instrumentLangChain(toolsModule, to));
    return [[new ToolspanHandler(to)]];
  },
  "handlers of two copies of the library": async (to) => {
    const copy = await secondCopy();
    expect(copy.ToolspanHandler).not.toBe(ToolspanHandler);
    return [[new ToolspanHandler(to), new copy.ToolspanHandler(to)]];
  },
  "a handler, and the wraps of two copies": async (to) => {
    const copy = await secondCopy();
    undoing.push(instrumentLangChain(toolsModule, to), copy.instrumentLangChain(toolsModule, to));
    return [[new ToolspanHandler(to)]];
  },
};

describe("R55: registered more than once:", () => {
  it.each(Object.entries(registered))("%s", async (_title, register) => {
    const test = traced();
    const to = providersOf(test);
    const [callbacks, ofAgent] = await register(to);
    const broken = fails();
    const one = makeTool(() => "fine", { name: "one" });
    const two = makeTool(() => "fine", { name: "two" });
    undoing.push(instrumentTool(two, to), instrumentTool(two, to));
    const turns = [
      asks(toolCall("t", { q: "x" }, "c1"), toolCall("one", { q: "x" }, "c2")),
      asks(toolCall("two")),
      done,
    ];
    const agent = agentOf([broken, one, two], { name: "desk" }, turns).graph;
    await (ofAgent ? agent.withConfig({ callbacks: ofAgent }) : agent).invoke(ask, { callbacks });
    expect(pathsOf(test.allSpans()).toSorted()).toEqual(
      [
        "invoke_agent desk",
        ...["chat", "chat", "chat", "execute_tool t", "execute_tool one", "execute_tool two"].map(
          (name) => `invoke_agent desk > ${name}`,
        ),
      ].toSorted(),
    );
    expect(test.started).toHaveLength(7);
    expect(talliesOf(test.allSpans())).toEqual([[3, 1, 1]]);
    const seen = Object.fromEntries(test.spans().map((span) => [span.attributes["gen_ai.tool.name"], verdict(span)]));
    expect(seen).toEqual({ t: failed("Error"), one: succeeded, two: succeeded });
    expect((await test.counts()).map(({ count }) => count)).toEqual([1, 1, 1]);
    expect(await test.failures()).toBe(1);
    const sums = async (metric: string) => (await test.points(metric)).map(({ count, sum }) => [count, sum]);
    expect(await sums("gen_ai.invoke_agent.tool_calls")).toEqual([[1, 3]]);
    expect(await sums("gen_ai.invoke_agent.inference_calls")).toEqual([[1, 3]]);
  });

  it("with other options the first one's win, which is said once", async () => {
    const test = traced();
    const to = providersOf(test);
    const callbacks = [new ToolspanHandler(to), new ToolspanHandler({ ...to, successStatus: "ok" })];
    await agentOf([makeTool(() => "fine")]).invoke(ask, { callbacks });
    expect(verdict(test.onlySpan())).toEqual(succeeded);
    expect(lines.splice(0)).toHaveLength(1);
  });

  it("for two tracer providers each makes its own", async () => {
    const [one, other] = [traced(), traced()];
    const callbacks = [one, other].map((test) => new ToolspanHandler(providersOf(test)));
    await agentOf([fails()]).invoke(ask, { callbacks });
    for (const test of [one, other]) {
      expect(test.allSpans()).toHaveLength(4);
      expect(await test.failures()).toBe(1);
    }
  });
});
