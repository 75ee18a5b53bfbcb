/** Reports of class F: runs that are stopped, suspended or never ended, and what of them is exported. */
import type { BaseMessage } from "@langchain/core/messages";
import { AIMessageChunk } from "@langchain/core/messages";
import { ChatGenerationChunk } from "@langchain/core/outputs";
import { interrupt, MemorySaver, MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { humanInTheLoopMiddleware } from "langchain";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { closeOpenRuns } from "../../../../src/span/recorder.ts";
import { agentOf, ask, asks, done, fails, makeTool, ScriptedModel, toolCall } from "../../../support/agent.ts";
import { unwatch, watched } from "../../../support/judged.ts";
import { said } from "../../../support/said.ts";
import { settle, sleep } from "../../../support/situations.ts";
import { pathsOf } from "../../../support/span-tree.ts";
import { talliesOf } from "../../../support/tallies.ts";
import { failed, unfailed, useContextManager, verdict } from "../../../support/traced.ts";

beforeAll(useContextManager);
afterEach(unwatch);
said();

const modes = ["handler", "wrap", "both"] as const;
type Config = Record<string, unknown>;
type Agent = ReturnType<typeof agentOf>;

/** A chat model that writes word by word. */
class WritingModel extends ScriptedModel {
  override async *_streamResponseChunks(): AsyncGenerator<ChatGenerationChunk> {
    for (const text of ["one", "two", "three"]) {
      yield new ChatGenerationChunk({ text, message: new AIMessageChunk(text) });
      await sleep(10);
    }
  }
}

/** A tool that says when it is running, and does not end by itself while a test looks. */
const slow = () =>
  makeTool((_input, config) => {
    (config as { writer?: (chunk: string) => void }).writer?.("running");
    return sleep(200);
  });
const threeCalls = ["c1", "c2", "c3"].map((id) => toolCall("t", { q: "x" }, id));
const busy = () => agentOf([slow()], {}, [asks(...threeCalls), done]);

describe.each(modes)("with %s", (mode) => {
  it.each<[string, (agent: Agent, config: Config) => Promise<unknown>]>([
    [
      "a stream that its signal stops",
      async (agent, config) => {
        const controller = new AbortController();
        const stream = await agent.stream(ask, { ...config, signal: controller.signal, streamMode: "custom" } as never);
        for await (const _ of stream) controller.abort();
      },
    ],
    [
      "a stream that its reader leaves",
      async (agent, config) => {
        for await (const _ of await agent.stream(ask, { ...config, streamMode: "custom" } as never)) break;
      },
    ],
    [
      "a stream of events that its reader leaves",
      async (agent, config) => {
        for await (const { event } of agent.streamEvents(ask, { ...config, version: "v2" }) as AsyncIterable<{
          event: string;
        }>) {
          if (event === "on_custom_event" || event === "on_tool_start") break;
        }
      },
    ],
  ])("R32: %s is exported whole, and none of it is an error", async (_title, consume) => {
    const { config, spans, allSpans, started, failures } = watched(mode);
    await settle(() => consume(busy(), { ...config }));
    await vi.waitFor(() => expect(allSpans()).toHaveLength(started.length));
    // Events of a stream come through callbacks: the first tool has started, the others may have.
    expect(spans().length).toBeGreaterThanOrEqual(1);
    expect(new Set(spans().map((span) => verdict(span).outcome))).toEqual(new Set(["cancelled"]));
    expect(allSpans().map(({ status }) => status.code)).toEqual(allSpans().map(() => 0));
    expect(allSpans().flatMap(({ events }) => events)).toEqual([]);
    expect(pathsOf(allSpans()).filter((path) => path.startsWith("?"))).toEqual([]);
    expect(await failures()).toBe(0);
  });

  it("R32: a stream that its reader leaves before the tools: no call has two spans", async () => {
    const { config, spans, allSpans, started, counts } = watched(mode);
    await settle(async () => {
      for await (const _ of await busy().stream(ask, { ...config, streamMode: "updates" } as never)) break;
    });
    await vi.waitFor(() => expect(allSpans()).toHaveLength(started.length));
    const ids = spans().map(({ attributes }) => attributes["gen_ai.tool.call.id"]);
    expect(new Set(ids).size).toBe(ids.length);
    expect(spans().filter(({ status }) => status.code === 2)).toEqual([]);
    expect((await counts()).reduce((sum, { count }) => sum + count, 0)).toBe(ids.length);
  });

  it.each(["messages", ["messages", "updates", "values"]])(
    "R32: a stream of %j that its reader leaves while the model writes is exported whole, and none of it is an error",
    async (streamMode) => {
      const { config, allSpans, started } = watched(mode);
      const agent = agentOf([slow()], { model: new WritingModel([done]) });
      await settle(async () => {
        for await (const _ of await agent.stream(ask, { ...config, streamMode } as never)) break;
      });
      await vi.waitFor(() => expect(allSpans()).toHaveLength(started.length));
      const seen = allSpans().map(({ name, status }) => [name, status.code]);
      expect(seen.toSorted()).toEqual(
        mode === "wrap"
          ? []
          : [
              ["chat", 0],
              ["invoke_agent", 0],
            ],
      );
    },
  );

  it("R32: an agent that is suspended, inside a tool or before it, is exported whole", async () => {
    const { config, spans, allSpans, started, failures } = watched(mode);
    const approved = humanInTheLoopMiddleware({ interruptOn: { t: true } } as never);
    for (const [tool, middleware] of [
      [makeTool(() => interrupt("?")), []],
      [makeTool(() => "x"), [approved]],
    ] as const) {
      const agent = agentOf([tool], { checkpointer: new MemorySaver(), middleware });
      const thread = { ...config, configurable: { thread_id: "1" } };
      for await (const _ of await agent.stream(ask, thread as never));
    }
    expect(allSpans()).toHaveLength(started.length);
    expect(spans().map(verdict)).toEqual([unfailed("interrupted")]);
    expect(allSpans().map(({ status }) => status.code)).toEqual(allSpans().map(() => 0));
    expect(await failures()).toBe(0);
  });

  it("R33: what hangs is exported at shutdown, whole, and a late end is ignored", async () => {
    const { config, onlySpan, allSpans, started, counts, points, tracerProvider, finish } = watched(mode);
    let release!: () => void;
    let isRunning = false;
    const hanging = makeTool(() => {
      isRunning = true;
      return new Promise<string>((resolve) => (release = () => resolve("late")));
    });
    const running = agentOf([hanging], { name: "desk" }).invoke(ask, config);
    await vi.waitFor(() => expect(isRunning).toBe(true));
    finish();
    closeOpenRuns(tracerProvider); // as toolspan/node does before the process ends
    const seen = () => allSpans().map(({ name, status, attributes }) => [name, status.code, attributes]);
    const [atShutdown, counted] = [seen(), await counts()];
    expect(verdict(onlySpan())).toEqual(unfailed("abandoned"));
    expect(allSpans()).toHaveLength(started.length);
    expect(pathsOf(allSpans())).toEqual(
      mode === "wrap"
        ? ["execute_tool t"]
        : ["invoke_agent desk > chat", "invoke_agent desk > execute_tool t", "invoke_agent desk"],
    );
    expect(counted.map(({ count, attributes }) => [count, attributes["toolspan.outcome"]])).toEqual([[1, "abandoned"]]);
    const agents = mode === "wrap" ? [] : [1];
    expect(talliesOf(allSpans())).toEqual(agents.map(() => [1, 0, 0]));
    expect(allSpans().at(-1)!.attributes["toolspan.outcome"]).toBe("abandoned");
    expect((await points("gen_ai.invoke_agent.duration")).map(({ count }) => count)).toEqual(agents);
    release();
    await running;
    expect(seen()).toEqual(atShutdown);
    expect(await counts()).toEqual(counted);
  });

  const reading: readonly [string, (graph: Graph, config: Config) => Promise<unknown>][] = [
    ["invoke", (graph, config) => graph.invoke(asked, config)],
    ...["values", "updates", "messages", "debug", "custom"].map(
      (streamMode) =>
        [
          `stream of ${streamMode}`,
          async (graph: Graph, config: Config) => {
            for await (const _ of await graph.stream(asked, { ...config, streamMode } as never));
          },
        ] as [string, (graph: Graph, config: Config) => Promise<unknown>],
    ),
    [
      "stream of events",
      async (graph, config) => {
        for await (const _ of graph.streamEvents(asked, { ...config, version: "v2" }));
      },
    ],
  ];
  describe.each([true, false])("R35: a throwing tool, handled by its node: %s", (handleToolErrors) => {
    it.each(reading)("is one failure by %s", async (_title, read) => {
      const { config, onlySpan, allSpans, failures } = watched(mode);
      await settle(() => read(graphOf(handleToolErrors), { ...config }));
      expect(verdict(onlySpan())).toEqual(failed("Error"));
      expect(onlySpan().events.map(({ name }) => name)).toEqual(["exception"]);
      expect(await failures()).toBe(1);
      const graph = allSpans().filter(({ name }) => name === "invoke_agent");
      expect(graph.map(({ status }) => status.code)).toEqual(mode === "wrap" ? [] : [handleToolErrors ? 0 : 2]);
    });
  });
});

type Graph = ReturnType<typeof graphOf>;
const asked = { messages: [asks(toolCall("t"))] as BaseMessage[] };

function graphOf(handleToolErrors: boolean) {
  return new StateGraph(MessagesAnnotation)
    .addNode("tools", new ToolNode([fails()], { handleToolErrors }))
    .addEdge("__start__", "tools")
    .compile();
}
