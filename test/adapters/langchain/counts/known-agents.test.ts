/** Scripted agents whose numbers are known by construction: spans, agent attributes and metrics agree with them. */
import type { AIMessage } from "@langchain/core/messages";
import { Command, interrupt, MemorySaver } from "@langchain/langgraph";
import { createMiddleware, humanInTheLoopMiddleware, toolCallLimitMiddleware, toolRetryMiddleware } from "langchain";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  agentOf,
  answer,
  ask,
  asks,
  done,
  makeTool,
  mcpTools,
  ScriptedModel,
  TellingModel,
  toolCall,
} from "../../../support/agent.ts";
import { unwatch, watched } from "../../../support/judged.ts";
import type { Known } from "../../../support/known-numbers.ts";
import { expectKnown } from "../../../support/known-numbers.ts";
import { said } from "../../../support/said.ts";
import { scripted, scriptedCall as call } from "../../../support/scripted-calls.ts";
import type { Config } from "../../../support/situations.ts";
import { settle } from "../../../support/situations.ts";
import { useContextManager } from "../../../support/traced.ts";

beforeAll(useContextManager);
afterEach(unwatch);
said();

const modes = ["handler", "both"] as const;
type Mode = (typeof modes)[number];
const retries = toolRetryMiddleware({ maxRetries: 2, initialDelayMs: 1, maxDelayMs: 2, jitter: false });
const tools = () => [scripted("a"), scripted("b")];
const thread = { configurable: { thread_id: "1" } };
const desk = (turns: readonly AIMessage[], options: object = {}) =>
  agentOf(tools(), { name: "desk", ...options }, [...turns, done]);
const asked = (...calls: ReturnType<typeof toolCall>[]) => asks(...calls);
/** Only the wrap sees why. */
const refused = (mode: Mode) => (mode === "handler" ? "error tool_error" : "error invalid_arguments");

type Row = readonly [title: string, run: (config: Config) => unknown, known: Known | ((mode: Mode) => Known)];

const rows: readonly Row[] = [
  [
    "three calls that go well",
    (config) =>
      desk([asked(call("a", "returns", "1"), call("b", "returns", "2")), asked(call("a", "returns", "3"))]).invoke(
        ask,
        config,
      ),
    { runs: { ok: 3 }, agents: { desk: [{ calls: [3, 0, 0], inferences: 3 }] } },
  ],
  [
    "no call at all",
    (config) => desk([]).invoke(ask, config),
    { runs: {}, agents: { desk: [{ calls: [0, 0, 0], inferences: 1 }] } },
  ],
  [
    "a failure that nothing makes good",
    (config) => desk([asked(call("a", "throws", "1")), asked(call("b", "returns", "2"))]).invoke(ask, config),
    { runs: { "error RangeError": 1, ok: 1 }, agents: { desk: [{ calls: [2, 1, 1], inferences: 3 }] } },
  ],
  [
    "a failure that a later call of the tool makes good",
    (config) => desk([asked(call("a", "throws", "1")), asked(call("a", "returns", "2"))]).invoke(ask, config),
    { runs: { "error RangeError": 1, ok: 1 }, agents: { desk: [{ calls: [2, 1, 0], inferences: 3 }] } },
  ],
  [
    "a success before the failure makes nothing good",
    (config) => desk([asked(call("a", "returns", "1")), asked(call("a", "throws", "2"))]).invoke(ask, config),
    { runs: { ok: 1, "error RangeError": 1 }, agents: { desk: [{ calls: [2, 1, 1], inferences: 3 }] } },
  ],
  [
    "failures in each shape",
    (config) =>
      desk([
        asked(call("a", "answers an error", "1"), call("a", "commands an error", "2")),
        asked(call("b", "times out", "3"), call("b", "throws", "4")),
      ]).invoke(ask, config),
    {
      runs: { "error tool_error": 2, "error timeout": 1, "error RangeError": 1 },
      agents: { desk: [{ calls: [4, 4, 4], inferences: 3 }] },
    },
  ],
  [
    "calls asked for together make nothing good, a later one all",
    (config) =>
      desk([
        asked(
          ...(["throws", "returns", "answers an error", "returns", "returns"] as const).map((how, n) =>
            call("a", how, `1${n}`),
          ),
        ),
        asked(call("b", "throws", "2")),
        asked(call("a", "returns", "3"), call("b", "throws", "4")),
      ]).invoke(ask, config),
    {
      runs: { ok: 4, "error RangeError": 3, "error tool_error": 1 },
      agents: { desk: [{ calls: [8, 4, 2], inferences: 4 }] },
    },
  ],
  [
    "the same, the last of them begun after the failure",
    (config) => {
      const calls = [call("a", "throws", "1"), call("a", "returns", "2"), call("a", "returns", "3")];
      return desk([asked(...calls)]).invoke(ask, { ...config, maxConcurrency: 2 });
    },
    { runs: { "error RangeError": 1, ok: 2 }, agents: { desk: [{ calls: [3, 1, 1], inferences: 2 }] } },
  ],
  [
    "the same, beside a tool that asks a model itself",
    (config) => {
      const asking = makeTool((_, given) => new ScriptedModel([done]).invoke("?", given), { name: "asking" });
      const calls = [call("a", "throws", "1"), toolCall("asking", { q: "x" }, "2"), call("a", "returns", "3")];
      const agent = agentOf([asking, scripted("a", 20)], { name: "desk" }, [asked(...calls), done]);
      return agent.invoke(ask, { ...config, maxConcurrency: 2 });
    },
    { runs: { "error RangeError": 1, ok: 2 }, agents: { desk: [{ calls: [3, 1, 1], inferences: 3 }] } },
  ],
  [
    "the same, where the good ones end last",
    (config) => {
      const slow = scripted("a", 20);
      const turns = [asked(call("a", "refused", "1"), call("a", "returns", "2")), done];
      return agentOf([slow], { name: "desk" }, turns).invoke(ask, config);
    },
    (mode) => ({ runs: { [refused(mode)]: 1, ok: 1 }, agents: { desk: [{ calls: [2, 1, 1], inferences: 2 }] } }),
  ],
  [
    "retries that recover, after one failure and after two",
    (config) =>
      desk([asked(call("a", "flaky 1", "1"), call("b", "flaky 2", "2"))], { middleware: [retries] }).invoke(
        ask,
        config,
      ),
    { runs: { "error RangeError recovered": 3, ok: 2 }, agents: { desk: [{ calls: [2, 0, 0], inferences: 2 }] } },
  ],
  [
    "retries that do not, and a later call that does",
    (config) =>
      desk([asked(call("a", "throws", "1"), call("b", "throws", "2")), asked(call("a", "returns", "3"))], {
        middleware: [retries],
      }).invoke(ask, config),
    { runs: { "error RangeError": 6, ok: 1 }, agents: { desk: [{ calls: [3, 2, 1], inferences: 3 }] } },
  ],
  [
    "refused arguments, put right in the next turn",
    (config) => desk([asked(call("a", "refused", "1")), asked(call("a", "returns", "2"))]).invoke(ask, config),
    (mode) => ({ runs: { [refused(mode)]: 1, ok: 1 }, agents: { desk: [{ calls: [2, 1, 0], inferences: 3 }] } }),
  ],
  [
    "refused arguments under retries",
    (config) => desk([asked(call("a", "refused", "1"))], { middleware: [retries] }).invoke(ask, config),
    (mode) => ({ runs: { [refused(mode)]: 1 }, agents: { desk: [{ calls: [1, 1, 1], inferences: 2 }] } }),
  ],
  [
    "arguments refused in two turns, whose calls have one id",
    (config) => desk([asked(call("a", "refused", "1")), asked(call("a", "refused", "1"))]).invoke(ask, config),
    (mode) => ({ runs: { [refused(mode)]: 2 }, agents: { desk: [{ calls: [2, 2, 2], inferences: 3 }] } }),
  ],
  [
    "unknown tools, which no call of a known one makes good",
    (config) => {
      const turns = [asked(toolCall("x", {}, "1"), toolCall("y", {}, "2")), asked(call("a", "returns", "3")), done];
      return desk([], { model: new TellingModel(turns) }).invoke(ask, config);
    },
    { runs: { "error unknown_tool": 2, ok: 1 }, agents: { desk: [{ calls: [3, 2, 2], inferences: 3 }] } },
  ],
  [
    "a call limit",
    (config) =>
      desk([asked(call("a", "returns", "1"), call("a", "returns", "2"), call("a", "returns", "3"))], {
        middleware: [toolCallLimitMiddleware({ runLimit: 1 } as never)],
      }).invoke(ask, config),
    { runs: { ok: 1, denied: 2 }, agents: { desk: [{ calls: [3, 0, 0], inferences: 2 }] } },
  ],
  [
    "a human's no to one call and yes to the next, each in an invocation of its own",
    async (config) => {
      const turns = [asked(call("a", "returns", "1")), asked(call("a", "returns", "2"))];
      const middleware = [humanInTheLoopMiddleware({ interruptOn: { a: true } } as never)];
      const agent = desk(turns, { middleware, checkpointer: new MemorySaver() });
      await agent.invoke(ask, { ...config, ...thread });
      for (const decision of [{ type: "reject", message: "no" }, { type: "approve" }]) {
        const resume = { decisions: [decision] };
        await agent.invoke(new Command({ resume }) as never, { ...config, ...thread });
      }
    },
    {
      runs: { denied: 1, ok: 1 },
      agents: {
        desk: [
          { calls: [0, 0, 0], inferences: 1 },
          { calls: [1, 0, 0], inferences: 1 },
          { calls: [1, 0, 0], inferences: 1 },
        ],
      },
    },
  ],
  [
    "a stop while two calls run",
    (config) => {
      const controller = new AbortController();
      let running = 0;
      const hanging = makeTool(() => {
        if (++running === 2) controller.abort();
        return new Promise(() => {});
      });
      const turns = [asked(call("b", "throws", "1")), asked(...["2", "3"].map((id) => toolCall("t", { q: "x" }, id)))];
      const agent = agentOf([hanging, ...tools()], { name: "desk" }, turns);
      return agent.invoke(ask, { ...config, signal: controller.signal });
    },
    { runs: { "error RangeError": 1, cancelled: 2 }, agents: { desk: [{ calls: [3, 1, 1], inferences: 2 }] } },
  ],
  [
    "an error that nobody handles",
    (config) => {
      const passing = createMiddleware({ name: "passing", wrapToolCall: (request, handler) => handler(request) });
      return desk([asked(call("a", "throws", "1"))], { middleware: [passing] }).invoke(ask, config);
    },
    { runs: { "error RangeError": 1 }, agents: { desk: [{ calls: [1, 1, 1], inferences: 1, status: "ERROR" }] } },
  ],
  [
    "answers from a cache",
    (config) => {
      const cached = createMiddleware({
        name: "cached",
        wrapToolCall: async ({ toolCall: { id } }) => answer("success", { toolCall: { id: id! } }),
      });
      return desk([asked(call("a", "returns", "1"), call("a", "returns", "2"))], { middleware: [cached] }).invoke(
        ask,
        config,
      );
    },
    { runs: { ok: 2 }, unrun: { ok: 2 }, agents: { desk: [{ calls: [2, 0, 0], inferences: 2 }] } },
  ],
  [
    "a middleware that turns a success into a failure, and a failure into a success",
    (config) => {
      const turning = createMiddleware({
        name: "turning",
        wrapToolCall: async (request, handler) => {
          const { status } = (await handler(request)) as { status?: string };
          return answer(status === "error" ? "success" : "error", { toolCall: { id: request.toolCall.id! } });
        },
      });
      const turns = [asked(call("a", "returns", "1"), call("b", "answers an error", "2"))];
      return desk(turns, { middleware: [turning] }).invoke(ask, config);
    },
    { runs: { ok: 1, "error tool_error recovered": 1 }, agents: { desk: [{ calls: [2, 1, 1], inferences: 2 }] } },
  ],
  [
    "a tool that copes with the failure of another which it calls itself",
    (config) => {
      const inner = makeTool(() => {
        throw new RangeError("no");
      });
      const outer = makeTool((input, given) => inner.invoke(input, given as object).catch(() => "coped"), {
        name: "outer",
      });
      return agentOf([outer], { name: "desk" }, [asked(toolCall("outer", { q: "x" }, "1")), done]).invoke(ask, config);
    },
    { runs: { "error RangeError": 1, ok: 1 }, agents: { desk: [{ calls: [1, 0, 0], inferences: 2 }] } },
  ],
  [
    "MCP tools",
    async (config) => {
      const turns = [
        asked(toolCall("is_error", { q: "x" }, "1"), toolCall("ok", { q: "x" }, "2")),
        asked(toolCall("is_error", { q: "x" }, "3")),
        done,
      ];
      return agentOf(await mcpTools(), { name: "desk" }, turns).invoke(ask, config);
    },
    { runs: { "error ToolException": 2, ok: 1 }, agents: { desk: [{ calls: [3, 2, 2], inferences: 3 }] } },
  ],
  [
    "sub-agents with numbers of their own, and the same call ids",
    (config) => {
      const clerk = () =>
        agentOf(tools(), { name: "clerk" }, [
          asked(call("a", "throws", "1"), call("b", "answers an error", "2")),
          asked(call("a", "returns", "3")),
          done,
        ]);
      const task = makeTool(async (_, given) => (await clerk().invoke(ask, given)).messages.length, { name: "task" });
      const turns = [
        asked(toolCall("task", { q: "x" }, "1"), call("a", "throws", "2")),
        asked(toolCall("task", { q: "x" }, "3")),
        done,
      ];
      return agentOf([task, ...tools()], { name: "desk" }, turns).invoke(ask, config);
    },
    {
      runs: { ok: 4, "error RangeError": 3, "error tool_error": 2 },
      agents: {
        clerk: [
          { calls: [3, 2, 1], inferences: 3 },
          { calls: [3, 2, 1], inferences: 3 },
        ],
        desk: [{ calls: [3, 1, 1], inferences: 3 }],
      },
    },
  ],
  [
    "two turns of one thread: nothing is counted twice, nor made good across them",
    async (config) => {
      const turns = [
        asked(call("a", "throws", "1")),
        done,
        asked(call("a", "returns", "2"), call("b", "returns", "3")),
      ];
      const agent = desk(turns, { checkpointer: new MemorySaver() });
      await agent.invoke(ask, { ...config, ...thread });
      await agent.invoke(ask, { ...config, ...thread });
    },
    {
      runs: { "error RangeError": 1, ok: 2 },
      agents: {
        desk: [
          { calls: [1, 1, 1], inferences: 2 },
          { calls: [2, 0, 0], inferences: 2 },
        ],
      },
    },
  ],
  [
    "an interrupted call, and its resume by another process",
    async (config) => {
      const checkpointer = new MemorySaver();
      const asking = () => [makeTool(() => `a ${String(interrupt("?"))}`, { name: "asking" }), ...tools()];
      const process = (turns: readonly AIMessage[]) => agentOf(asking(), { name: "desk", checkpointer }, turns);
      const turns = [asked(call("a", "throws", "1")), asked(toolCall("asking", { q: "x" }, "2"))];
      await process(turns).invoke(ask, { ...config, ...thread });
      await process([done]).invoke(new Command({ resume: "yes" }) as never, { ...config, ...thread });
    },
    {
      runs: { "error RangeError": 1, interrupted: 1, ok: 1 },
      agents: {
        desk: [
          { calls: [2, 1, 1], inferences: 2 },
          { calls: [1, 0, 0], inferences: 1 },
        ],
      },
    },
  ],
];

describe.each(modes)("with %s, what is known and what is told agree:", (mode) => {
  it.each(rows)("%s", async (_title, run, known) => {
    const test = watched(mode);
    await settle(() => run(test.config));
    expect(test.allSpans()).toHaveLength(test.started.length);
    await expectKnown(test, typeof known === "function" ? known(mode) : known);
  });
});
