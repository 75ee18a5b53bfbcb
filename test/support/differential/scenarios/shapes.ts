/** Tools of every make, and results of every shape. */
import { RunnableLambda } from "@langchain/core/runnables";
import { DynamicStructuredTool, StructuredTool, Tool } from "@langchain/core/tools";
import { toolStrategy } from "langchain";
import { agentOf, answer, ask, asks, done, makeTool, mcpTools, schema, toolCall } from "../../agent.ts";
import { ClassTool } from "../../situations.ts";
import type { Scenario } from "../scenario.ts";
import { toolView } from "../tool-view.ts";
import { toolOf } from "./ingredients.ts";

/** One that reads and writes itself, and keeps part of that to itself. */
class Counter extends StructuredTool {
  name = "t";
  description = "d";
  calls = 0;
  readonly #secret = "mine";
  get schema() {
    void this.#secret;
    return schema;
  }
  async _call(this: Counter, ...given: [{ q: string }, ...unknown[]]): Promise<string> {
    this.calls += 1;
    return `${given[0].q} ${this.calls} ${this.#secret} ${given.length}`;
  }
}

class Serializable extends ClassTool {
  override lc_serializable = true;
  override get lc_namespace() {
    return ["acme"];
  }
  override get lc_secrets() {
    return { key: "ACME_KEY" };
  }
}

class Shout extends Tool {
  name = "t";
  description = "d";
  async _call(text: string): Promise<string> {
    return `${text}!`;
  }
}

/** Overrides what LangChain calls on it. */
class Overriding extends ClassTool {
  override async invoke(...given: Parameters<ClassTool["invoke"]>) {
    return (await super.invoke(...given)) as never;
  }
  override async call(...[input, config]: Parameters<ClassTool["call"]>) {
    return (await super.call({ ...(input as object), q: "changed" } as never, config)) as never;
  }
}

const asTool = (func: (input: { q: string }) => unknown) =>
  RunnableLambda.from(async (input: { q: string }) => func(input)).asTool({ name: "t", description: "d", schema });

const t = toolCall("t");
const results: Readonly<Record<string, () => unknown>> = {
  "blocks of content": () => [{ type: "text", text: "hi" }],
  "an object without a prototype": () => Object.assign(Object.create(null) as object, { n: 1 }),
  "a BigInt": () => ({ n: 1n }),
  "a function": () => () => "called",
  "a failed message with more in it": () =>
    Object.assign(answer("error"), { artifact: { rows: 1 }, additional_kwargs: { kept: true } }),
  "something frozen": () => Object.freeze({ status: "error", list: Object.freeze([1]) }),
  "an object that says how it is written": () => ({ toJSON: () => "as it likes" }),
};

export const shapes: readonly Scenario[] = [
  ...Object.entries(results).flatMap(([what, make]): Scenario[] => [
    [`a tool that returns ${what}`, ({ config, watch }) => watch(makeTool(make)).invoke(t, config)],
    [`a tool called without an id that returns ${what}`, ({ config }) => makeTool(make).invoke({ q: "x" }, config)],
  ]),
  [
    "the very object that a tool returned",
    async ({ config, watch }) => {
      const result = { same: true };
      return (await watch(makeTool(() => result)).invoke({ q: "x" }, config)) === result;
    },
  ],
  [
    "a class with private members, twice",
    async ({ config }) => {
      const counter = new Counter();
      const answers = [await counter.invoke(t, config), await counter.invoke(t, config)];
      return [answers, counter.calls, Object.keys(counter)];
    },
  ],
  [
    "a class whose constructor's arguments are serialized",
    ({ config }) => new Serializable({ key: "sk-1", depth: 2 } as never).invoke(toolCall("class_tool"), config),
  ],
  ["a tool that takes a text", ({ config, watch }) => watch(new Shout()).invoke("hey", config)],
  [
    "a tool that takes a text, by the old call",
    ({ config, watch }) => watch(new Shout()).call("hey", config.callbacks as never),
  ],
  ["a class that overrides invoke and call", ({ config, watch }) => watch(new Overriding()).invoke({ q: "x" }, config)],
  [
    "a tool whose function is exchanged",
    ({ config, watch, note }) => {
      const one = watch(new DynamicStructuredTool({ name: "t", description: "d", schema, func: async () => "first" }));
      const first = one.func;
      one.func = async function (this: unknown, ...given) {
        note("the function", this === one, given.length);
        return "second";
      };
      return one.invoke(t, config).finally(() => {
        one.func = first;
      });
    },
  ],
  ["a tool that is frozen", ({ config }) => Object.freeze(makeTool(() => "fine")).invoke(t, config)],
  [
    "a proxy of a tool",
    ({ config }) =>
      new Proxy(
        makeTool(() => "fine"),
        {},
      ).invoke(t, config),
  ],
  [
    "a tool that inherits from a tool",
    ({ config }) => (Object.create(makeTool(() => "fine")) as ClassTool).invoke(t, config),
  ],
  [
    "a tool that ends the agent",
    ({ config, watch }) =>
      agentOf([
        watch(
          Object.assign(
            makeTool(() => "final"),
            { returnDirect: true },
          ),
        ),
      ]).invoke(ask, config as never),
  ],
  [
    "a function that is no async one",
    ({ config, watch, note }) =>
      watch(
        toolOf((...[{ q }, inside]) => {
          note("the tool", toolView(inside));
          return q;
        }),
      ).invoke(t, config),
  ],
  [
    "a runnable that was made a tool",
    async ({ config, watch }) => {
      const one = watch(asTool(({ q }) => q.toUpperCase()));
      return [await one.invoke({ q: "x" }, config), await one.invoke(t as never, config)];
    },
  ],
  [
    "a runnable that was made a tool and fails, in an agent",
    ({ config, watch }) =>
      agentOf([watch(asTool(() => Promise.reject(new RangeError("no"))))], {}, [
        asks(t, toolCall("t", { bad: 1 }, "c2")),
        done,
      ]).invoke(ask, config as never),
  ],
  [
    "a runnable that was made a tool and fails, with nobody waiting",
    async ({ config, watch }) => {
      void watch(asTool(() => Promise.reject(new RangeError("floating")))).invoke({ q: "x" }, config);
      await new Promise((resolve) => setTimeout(resolve, 3));
    },
  ],
  [
    "tools of an MCP server",
    async ({ config, watch }) => {
      const tools = await mcpTools();
      for (const one of tools) watch(one);
      return agentOf(tools, {}, [
        asks(toolCall("ok", { q: "x" }, "c1"), toolCall("is_error", { q: "x" }, "c2")),
        done,
      ]).invoke(ask, config as never);
    },
  ],
  [
    "an answer in a form that is asked for",
    ({ config }) => {
      const form = { title: "form", type: "object", properties: { n: { type: "number" } }, required: ["n"] };
      const responseFormat = toolStrategy(form as never);
      const answers = [asks(t), asks(toolCall("form", { n: "no" }, "s1")), asks(toolCall("form", { n: 1 }, "s2"))];
      return agentOf([makeTool(() => "fine")], { responseFormat } as never, answers).invoke(ask, config as never);
    },
  ],
];
