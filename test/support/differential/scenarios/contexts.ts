/** What a tool's code has around it, and what is left around its caller's. */
import { AsyncLocalStorage } from "node:async_hooks";
import { tool } from "@langchain/core/tools";
import { Command, interrupt, MemorySaver, MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { context, createContextKey, trace } from "@opentelemetry/api";
import { agentOf, answer, ask, asks, done, fails, makeTool, toolCall } from "../../agent.ts";
import { sleep } from "../../situations.ts";
import type { Scenario } from "../scenario.ts";
import { toolView } from "../tool-view.ts";
import { gate, jsonSchema } from "./ingredients.ts";

const storage = new AsyncLocalStorage<string>();
const KEY = createContextKey("step");
const both = () => [asks(toolCall("t", { q: "x" }, "c1"), toolCall("t", { q: "y" }, "c2")), done];

export const contexts: readonly Scenario[] = [
  [
    "a value of the tool's own, after awaits and timers",
    ({ config, note, watch }) =>
      watch(
        makeTool(async () => {
          await storage.run("the tool's", async () => {
            await sleep(1);
            note("inside", storage.getStore());
            await new Promise<void>((resolve) =>
              setImmediate(() => (note("in a callback", storage.getStore()), resolve())),
            );
          });
          note("after", storage.getStore());
        }),
      ).invoke(toolCall("t"), config),
  ],
  [
    "a context of the tool's own",
    ({ config, note, watch }) =>
      watch(
        makeTool(() =>
          context.with(context.active().setValue(KEY, 7), async () => {
            await sleep(1);
            note("inside", context.active().getValue(KEY));
          }),
        ),
      ).invoke(toolCall("t"), config),
  ],
  [
    "what a tool enters and does not leave",
    async ({ config, note, watch }) => {
      await watch(makeTool(() => storage.enterWith("entered"))).invoke(toolCall("t"), config);
      note("after", storage.getStore());
    },
  ],
  [
    "no span, where the caller's is taken away",
    ({ config, note, watch }) =>
      context.with(trace.deleteSpan(context.active()), () =>
        watch(makeTool(() => note("inside"))).invoke(toolCall("t"), config),
      ),
  ],
  [
    "two tools at a time, and their caller between",
    async ({ config, note, watch }) => {
      const over = gate();
      const one = watch(
        makeTool(async ({ q }) => {
          note(`${q} begins`);
          await (q === "x" ? over.passed : sleep(1));
          note(`${q} ends`);
          over.open();
          return q;
        }),
      );
      const first = one.invoke({ q: "x" }, config);
      note("between");
      const second = one.invoke({ q: "y" }, config);
      note("and after");
      return Promise.all([first, second]);
    },
  ],
  [
    "a tool that is reached before anything is awaited, and its caller beside it",
    async ({ quiet, note, watch }) => {
      const one = watch(
        tool(
          async () => {
            note("begins");
            await sleep(1);
            note("ends");
          },
          { name: "t", description: "d", schema: jsonSchema },
        ),
      );
      const going = one.invoke(toolCall("t"), quiet);
      note("between");
      await going;
      note("after");
    },
  ],
  [
    "two tools at a time in an agent, of which one fails",
    ({ config, note, watch }) => {
      const over = gate();
      const one = watch(
        makeTool(async ({ q }) => {
          note(`${q} begins`);
          await (q === "x" ? over.passed : sleep(1));
          if (q === "x") throw new Error(q);
          note(`${q} ends`);
          over.open();
        }),
      );
      return agentOf([one], {}, both()).invoke(ask, config as never);
    },
  ],
  [
    "work that goes on after its tool",
    async ({ config, note, watch }) => {
      let later: Promise<void> | undefined;
      await watch(
        makeTool(() => {
          later = sleep(2).then(() => note("later"));
        }),
      ).invoke(toolCall("t"), config);
      note("the tool is done");
      await later;
    },
  ],
  [
    "an agent in a tool in an agent",
    ({ config, note }) => {
      const sub = agentOf([fails()], { name: "sub" });
      const task = makeTool(
        async (_, inside) => {
          note("the task", toolView(inside));
          const { messages } = await sub.invoke(ask, inside as never);
          return messages.length;
        },
        { name: "task" },
      );
      return agentOf([task], { name: "main" }, [asks(toolCall("task")), done]).invoke(ask, config as never);
    },
  ],
  [
    "an agent in a tool that hands no config on",
    ({ config }) => {
      const sub = agentOf([makeTool(() => "fine")], { name: "sub" });
      const task = makeTool(async () => (await sub.invoke(ask)).messages.length);
      return agentOf([task], { name: "main" }).invoke(ask, config as never);
    },
  ],
  [
    "a graph whose tool changes its state and leaves",
    ({ config }) => {
      const command = makeTool(
        (_, call) => new Command({ goto: "after", update: { messages: [answer("success", call)] } }),
      );
      return new StateGraph(MessagesAnnotation)
        .addNode("tools", new ToolNode([command]), { ends: ["after"] })
        .addNode("after", () => ({ messages: [] }))
        .addEdge("__start__", "tools")
        .compile()
        .invoke({ messages: [asks(toolCall("t"))] }, config as never);
    },
  ],
  [
    "two questions to a human at a time, and their answers",
    async ({ config, note }) => {
      const one = makeTool(({ q }) => {
        note(`${q} asks`);
        return `${q} got ${String(interrupt(q))}`;
      });
      const agent = agentOf([one], { checkpointer: new MemorySaver() }, both());
      const thread = { ...config, configurable: { thread_id: "1" } } as never;
      const waiting = await agent.invoke(ask, thread);
      const { tasks } = await agent.graph.getState(thread);
      const resume = Object.fromEntries(
        tasks.flatMap(({ interrupts }) => interrupts).map(({ id, value }) => [id!, `yes to ${String(value)}`]),
      );
      return [waiting, await agent.invoke(new Command({ resume }) as never, thread)];
    },
  ],
  [
    "two turns of one thread",
    async ({ config }) => {
      const agent = agentOf([fails()], { checkpointer: new MemorySaver() }, [
        asks(toolCall("t", { q: "x" }, "c1")),
        done,
        asks(toolCall("t", { q: "x" }, "c1")),
        done,
      ]);
      const thread = { ...config, configurable: { thread_id: "1" } } as never;
      return [
        await agent.invoke(ask, thread),
        await agent.invoke(ask, thread),
        (await agent.graph.getState(thread)).values,
      ];
    },
  ],
];
