/** Errors on their way: who is told, who stands in, and who has stopped waiting. */
import { tool } from "@langchain/core/tools";
import { RunnableLambda } from "@langchain/core/runnables";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { createMiddleware, toolErrorMiddleware } from "langchain";
import { agentOf, answer, ask, asks, fails, makeTool, schema, toolCall } from "../../agent.ts";
import { ClassTool, sleep } from "../../situations.ts";
import type { Scenario } from "../scenario.ts";
import { PaymentRefused } from "./ingredients.ts";

export const errors: readonly Scenario[] = [
  [
    "a middleware that hears of it and goes on",
    ({ config, note }) =>
      agentOf([fails()], {
        middleware: [
          createMiddleware({
            name: "catching",
            async wrapToolCall(request, handler) {
              try {
                return await handler(request);
              } catch (error) {
                note("the middleware", error, request.tool === undefined);
                return answer("error", { toolCall: { id: request.toolCall.id! } });
              }
            },
          }),
        ],
      }).invoke(ask, config as never),
  ],
  [
    "LangChain's own middleware for errors",
    ({ config }) =>
      agentOf([fails()], {
        middleware: [toolErrorMiddleware({ onError: (error) => `told: ${String(error)}` })],
      }).invoke(ask, config as never),
  ],
  [
    "a node that hands nothing on",
    ({ config, watch }) =>
      new ToolNode([watch(fails())], { handleToolErrors: false }).invoke({ messages: [asks(toolCall("t"))] }, config),
  ],
  [
    "a tool that another stands in for",
    ({ config, watch }) =>
      (watch(fails()) as unknown as RunnableLambda<unknown, unknown>)
        .withFallbacks([RunnableLambda.from(() => "other")])
        .invoke({ q: "x" }, config),
  ],
  [
    "a failure that nobody waits for",
    async ({ config, watch }) => {
      void watch(fails("floating")).invoke({ q: "x" }, config);
      await sleep(2);
    },
  ],
  [
    "a failure that nobody waits for, of a tool without callbacks",
    async ({ quiet, watch }) => {
      void watch(fails("floating")).invoke({ q: "x" }, quiet);
      await sleep(2);
    },
  ],
  [
    "a refusal that nobody waits for, by the old call of a class",
    async ({ config, watch }) => {
      void watch(new ClassTool()).call({ bad: 1 } as never, config);
      await sleep(2);
    },
  ],
  [
    "a failure that is handled late",
    async ({ config, watch, note }) => {
      const going = watch(fails("late")).invoke({ q: "x" }, config);
      await sleep(2);
      await going.catch((error: unknown) => note("handled", error));
    },
  ],
  [
    "a tool that fails after its caller has stopped it",
    async ({ config, note, watch }) => {
      const controller = new AbortController();
      let rest: Promise<never> | undefined;
      const slow = watch(
        makeTool(() => {
          setTimeout(() => controller.abort(new PaymentRefused("enough")), 1);
          rest = sleep(4).then(() => {
            note("goes on");
            throw new Error("too late");
          });
          return rest;
        }),
      );
      const end: unknown = await slow
        .invoke(toolCall("t"), { ...config, signal: controller.signal })
        .catch((error: unknown) => error);
      return [end, await rest?.catch((error: unknown) => error)];
    },
  ],
  [
    "a call that is stopped before it begins",
    ({ config, watch }) =>
      watch(makeTool(() => "fine")).invoke(toolCall("t"), { ...config, signal: AbortSignal.abort("no") }),
  ],
  [
    "an agent that is stopped",
    ({ config, note }) => {
      const controller = new AbortController();
      const stopped = new Promise((resolve) => controller.signal.addEventListener("abort", resolve));
      const slow = makeTool(async () => {
        setTimeout(() => controller.abort(), 1);
        await stopped;
        note("goes on");
        throw new Error("too late");
      });
      return agentOf([slow]).invoke(ask, { ...config, signal: controller.signal } as never);
    },
  ],
  [
    "a schema that is none",
    ({ config }) => tool(async () => "x", { name: "t", schema: schema.shape.q }).invoke("x", config),
  ],
];
