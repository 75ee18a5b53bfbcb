/** The ways in which an agent's or a tool's events reach its reader. */
import { dispatchCustomEvent } from "@langchain/core/callbacks/dispatch";
import { RunnableSequence } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { AIMessage } from "@langchain/core/messages";
import { agentOf, answer, ask, asks, done, fails, makeTool, schema, toolCall } from "../../agent.ts";
import { sleep } from "../../situations.ts";
import type { Application, Scenario } from "../scenario.ts";
import { StreamingModel } from "./ingredients.ts";

const calls = () => [
  asks(toolCall("t", { q: "x" }, "c1"), toolCall("slow", { q: "y" }, "c2")),
  asks(toolCall("steps", { q: "x" }, "c3"), toolCall("t", { bad: 1 }, "c4")),
  new AIMessage("all is done now"),
];

const generator = (...[end]: [unknown?]) =>
  tool(
    async function* ({ q }: { q: string }) {
      yield { part: q };
      await sleep(1);
      yield { part: 2 };
      if (end instanceof Error) throw end;
      return "whole";
    },
    { name: "steps", description: "d", schema },
  );

function streamingAgent({ watch, note }: Application) {
  const writing = makeTool(async ({ q }, config) => {
    const { writer } = config as { writer?: (chunk: unknown) => void };
    writer?.({ progress: q });
    await dispatchCustomEvent("progress", { q }, config);
    note("the tool", q);
    return answer("error", config);
  });
  const slow = makeTool(() => sleep(3), { name: "slow" });
  return agentOf([watch(writing), watch(slow), watch(generator())], {
    model: new StreamingModel(calls()),
    name: "desk",
    checkpointer: new MemorySaver(),
  });
}

const thread = { configurable: { thread_id: "1" } };

/**
 * Told at the end: the reader is a loop of its own beside that of the agent, and only the number of their steps decides which of
 * its turns falls between which events. What that costs is in the races.
 */
async function read({ note }: Application, stream: AsyncIterable<unknown>, most = Infinity): Promise<void> {
  const chunks: unknown[] = [];
  try {
    for await (const chunk of stream) if (chunks.push(chunk) >= most) break;
  } finally {
    note("chunks", chunks.length, chunks, chunks.map(isWritable));
  }
}

/** Servers write chunks down as JSON. */
function isWritable(chunk: unknown): boolean {
  try {
    return JSON.stringify(chunk).length > 0;
  } catch {
    return false;
  }
}

const MODES = ["values", "updates", "messages", "custom", "tasks", "checkpoints", "tools", "debug"] as const;

export const streams: readonly Scenario[] = [
  ...MODES.map((streamMode): Scenario => [
    `stream, mode ${streamMode}`,
    async (application) =>
      read(
        application,
        await streamingAgent(application).stream(ask, { ...application.config, ...thread, streamMode } as never),
      ),
  ]),
  [
    "stream, three modes and subgraphs",
    async (application) => {
      const { config } = application;
      const sub = streamingAgent(application);
      const task = makeTool(async (_, inside) => (await sub.invoke(ask as never, inside)).messages.length);
      const main = agentOf([application.watch(task)]);
      const streamMode = ["updates", "messages", "custom"];
      await read(application, await main.stream(ask, { ...config, ...thread, streamMode, subgraphs: true } as never));
    },
  ],
  [
    "stream that its reader leaves",
    async (application) =>
      read(
        application,
        await streamingAgent(application).stream(ask, { ...application.config, ...thread } as never),
        2,
      ),
  ],
  [
    "streamEvents of an agent",
    (application) =>
      read(
        application,
        streamingAgent(application).streamEvents(ask, { ...application.config, ...thread, version: "v2" }),
      ),
  ],
  [
    "streamEvents of an agent without callbacks of its own",
    (application) =>
      read(
        application,
        streamingAgent(application).streamEvents(ask, { ...application.quiet, ...thread, version: "v2" }),
      ),
  ],
  [
    "streamEvents, old form",
    (application) =>
      read(
        application,
        streamingAgent(application).streamEvents(ask, { ...application.config, ...thread, version: "v1" }),
      ),
  ],
  [
    "streamEvents of a tool that fails",
    (application) => read(application, fails().streamEvents({ q: "x" }, { ...application.config, version: "v2" })),
  ],
  ["stream of a tool", async (application) => read(application, await fails().stream({ q: "x" }, application.config))],
  [
    "stream of a generator tool",
    async (application) =>
      read(application, await application.watch(generator()).stream(toolCall("steps") as never, application.config)),
  ],
  [
    "a generator tool that throws between its parts",
    ({ config, watch }) => watch(generator(new RangeError("mid-stream"))).invoke(toolCall("steps"), config),
  ],
  [
    "batch of an agent",
    ({ config, watch }) =>
      agentOf([watch(fails())], {}, [
        asks(toolCall("t", { q: "x" }, "c1")),
        asks(toolCall("t", { q: "y" }, "c2")),
        done,
      ]).graph.batch([ask, ask] as never, config as never),
  ],
  [
    "batch of a tool, failures returned",
    ({ config, watch }) =>
      watch(makeTool(({ q }) => (q === "y" ? Promise.reject(new Error(q)) : q))).batch(
        [{ q: "x" }, { q: "y" }, { bad: 1 } as never],
        config,
        { returnExceptions: true },
      ),
  ],
  [
    "a sequence with a tool in it",
    async (application) => {
      const { config, watch } = application;
      const sequence = RunnableSequence.from([
        (q: string) => ({ q }),
        watch(makeTool(({ q }) => q.toUpperCase())) as never,
        (text: string) => `${text}!`,
      ]);
      await read(application, await sequence.stream("x", config));
      return sequence.invoke("y", config);
    },
  ],
];
