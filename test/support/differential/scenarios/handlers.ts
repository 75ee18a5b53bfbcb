/** What an application gives as callbacks, and how it gives it. */
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { CallbackManager } from "@langchain/core/callbacks/manager";
import { dispatchCustomEvent } from "@langchain/core/callbacks/dispatch";
import { RunnableLambda } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import { BaseTracer } from "@langchain/core/tracers/base";
import { agentOf, ask, asks, done, fails, makeTool, schema, toolCall } from "../../agent.ts";
import { ClassTool, sleep } from "../../situations.ts";
import type { Application, Scenario } from "../scenario.ts";
import { toolView } from "../tool-view.ts";
import { gate } from "./ingredients.ts";

const viewing = ({ note, watch }: Application, fields: object = {}) =>
  watch(makeTool((input, config) => note("the tool", input, toolView(config)), fields));

const twoCalls = () => [asks(toolCall("t", { q: "x" }, "c1"), toolCall("t", { q: "y" }, "c2")), done];

const throwing = () => {
  throw new Error("a handler's own");
};

/** One of LangChain's own kind, that keeps the runs as a tree. */
class Tracer extends BaseTracer {
  name = "tracer";
  readonly note: Application["note"];
  constructor(note: Application["note"]) {
    super({ _awaitHandler: true });
    this.note = note;
  }
  async persistRun({ name, run_type, child_runs, error, outputs }: Parameters<BaseTracer["onRunCreate"] & object>[0]) {
    this.note("a run", name, run_type, child_runs.length, error?.split("\n")[0], outputs);
  }
}

export const handlers: readonly Scenario[] = [
  ["none", (application) => agentOf([viewing(application)], {}, twoCalls()).invoke(ask, application.quiet as never)],
  [
    "none, and tools in parallel that differ in length",
    ({ quiet, note, watch }) => {
      const [begun, over] = [gate(), gate()];
      const one = watch(
        makeTool(async ({ q }) => {
          note(`${q} begins`);
          if (q === "x") begun.open();
          await (q === "x" ? over : begun).passed;
          note(`${q} ends`);
          if (q === "x") return q;
          over.open();
          throw new Error(q);
        }),
      );
      return agentOf([one], {}, twoCalls()).invoke(ask, quiet as never);
    },
  ],
  [
    "two, one of which waits",
    (application) => {
      const { handler, note } = application;
      const waiting = handler({
        name: "waiting",
        handleToolStart: async () => {
          note("waits");
          await sleep(2);
          note("has waited");
        },
      });
      return agentOf([viewing(application)], {}, twoCalls()).invoke(
        ask,
        application.withHandlers(handler(), waiting) as never,
      );
    },
  ],
  [
    "one in the background",
    (application) => {
      const background = application.handler({ awaitHandlers: false });
      return viewing(application).invoke(toolCall("t"), application.withHandlers(background));
    },
  ],
  [
    "one that throws",
    (application) => {
      const broken = application.handler({ handleToolStart: throwing, handleToolEnd: throwing });
      return viewing(application).invoke(toolCall("t"), application.withHandlers(broken));
    },
  ],
  ...(["handleToolStart", "handleToolEnd"] as const).map((event): Scenario => [
    `one that throws in ${event} and wants it heard`,
    (application) => {
      const broken = application.handler({ raiseError: true, [event]: throwing });
      return agentOf([viewing(application)]).invoke(ask, application.withHandlers(broken) as never);
    },
  ]),
  [
    "one that throws at a tool's error and wants it heard",
    ({ handler, withHandlers }) =>
      agentOf([fails()]).invoke(ask, withHandlers(handler({ raiseError: true, handleToolError: throwing })) as never),
  ],
  [
    "one that throws at a part of a generator's and wants it heard",
    ({ handler, withHandlers, watch }) =>
      watch(
        tool(
          async function* () {
            yield "part";
            return "whole";
          },
          { name: "t", description: "d", schema },
        ),
      ).invoke(toolCall("t"), withHandlers(handler({ raiseError: true, handleToolEvent: throwing }))),
  ],
  [
    "LangChain's own kind",
    ({ note, withHandlers }) =>
      agentOf([fails()], {}, [asks(toolCall("t"), toolCall("t", { bad: 1 }, "c2")), done]).invoke(
        ask,
        withHandlers(new Tracer(note)) as never,
      ),
  ],
  [
    "LangChain's base class, made from methods",
    (application) => {
      const { name: _, ...methods } = application.handler() as { name: string };
      return viewing(application).invoke(
        toolCall("t"),
        application.withHandlers(BaseCallbackHandler.fromMethods(methods as never)),
      );
    },
  ],
  [
    "a manager",
    async (application) => {
      const { withHandlers, handler, note } = application;
      const manager = new CallbackManager();
      for (const one of withHandlers(handler()).callbacks) manager.addHandler(one as never, true);
      manager.addTags(["tagged"]);
      manager.addMetadata({ tenant: "acme" });
      const result = await viewing(application).invoke(toolCall("t"), { callbacks: manager });
      note("the manager", manager);
      return result;
    },
  ],
  [
    "a frozen list in a frozen config",
    (application) => {
      const { callbacks } = application.withHandlers(application.handler());
      const config = Object.freeze({ callbacks: Object.freeze(callbacks) as object[], tags: Object.freeze(["a"]) });
      return agentOf([viewing(application)]).invoke(Object.freeze(ask), config as never);
    },
  ],
  [
    "on the tool itself, beside those of the call",
    ({ handler, config, note }) => {
      const own = handler({ name: "the tool's", handleToolStart: (...told: unknown[]) => note("the tool's", told[2]) });
      return tool(async () => "fine", { name: "t", description: "d", schema, callbacks: [own as never] }).invoke(
        toolCall("t"),
        config,
      );
    },
  ],
  [
    "on the tool itself alone",
    ({ handler, quiet }) =>
      tool(async () => "fine", { name: "t", description: "d", schema, callbacks: [handler() as never] }).invoke(
        toolCall("t"),
        quiet,
      ),
  ],
  [
    "with a name, an id, tags and metadata of the call and of the tool",
    (application) =>
      viewing(application, { tags: ["tool"], metadata: { of: "tool" } }).invoke(toolCall("t"), {
        ...application.config,
        runName: "renamed",
        runId: "0af76519-16cd-43dd-8448-eb211c80319c",
        tags: ["call"],
        metadata: { of: "call", tenant: "acme" },
      }),
  ],
  [
    "bound to the tool by withConfig",
    (application) =>
      (viewing(application) as unknown as RunnableLambda<unknown, unknown>)
        .withConfig({ ...application.config, tags: ["bound"] })
        .invoke(toolCall("t")),
  ],
  [
    "of an event of the tool's own",
    ({ config, watch }) =>
      watch(
        makeTool(async (_, inside) => {
          await dispatchCustomEvent("progress", { n: 1 }, inside);
          await dispatchCustomEvent("progress", { n: 2 });
        }),
      ).invoke(toolCall("t"), config),
  ],
  [
    "that a tool hands on to another tool, and one that it does not",
    (application) => {
      const inner = application.watch(new ClassTool());
      const outer = makeTool(async (_, inside) => [
        await inner.invoke(toolCall("class_tool", { q: "1" }, "c9"), inside as object),
        await inner.invoke({ q: "2" }),
        await RunnableLambda.from((q: string) => q).invoke("3"),
      ]);
      return application.watch(outer).invoke(toolCall("t"), application.config);
    },
  ],
  [
    "given to the agent when it is made",
    (application) =>
      agentOf([viewing(application)])
        .withConfig(application.config as never)
        .invoke(ask),
  ],
];
