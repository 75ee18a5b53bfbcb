/** The whole agent: every call the model asked for has a span, and the agents and their model calls are drawn around them. */
import { AIMessage } from "@langchain/core/messages";
import { StructuredTool } from "@langchain/core/tools";
import { Command, interrupt, MemorySaver } from "@langchain/langgraph";
import { SpanKind } from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace-node";
import {
  createAgent,
  createMiddleware,
  humanInTheLoopMiddleware,
  todoListMiddleware,
  toolCallLimitMiddleware,
  toolRetryMiddleware,
  toolStrategy,
} from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  agentOf,
  answer,
  ask,
  asks,
  done,
  fails,
  makeTool,
  ScriptedModel,
  TellingModel,
  toolCall,
} from "../../support/agent.ts";
import { handled as watched } from "../../support/handled.ts";
import { failed, succeeded, traced, unfailed, verdict } from "../../support/traced.ts";

const settle = (promise: Promise<unknown>): Promise<unknown> => promise.catch(() => undefined);
const quick = { initialDelayMs: 1, maxDelayMs: 2, jitter: false };
const call = (id: string, name = "t") => toolCall(name, { q: "x" }, id);
const attributesOf = (spans: readonly ReadableSpan[], name: string): unknown[] =>
  spans.map(({ attributes }) => attributes[name]);

const telling = (tools: readonly unknown[], answers: readonly AIMessage[], options = {}) =>
  createAgent({ model: new TellingModel(answers), tools, ...options } as never);

describe("what is drawn", () => {
  const usage = { input_tokens: 12, output_tokens: 3, total_tokens: 15 };
  const metadata = { model_name: "scripted-1-0613", finish_reason: "tool_calls", id: "resp_1" };

  it("an agent, its model calls and its tools, in one tree", async () => {
    const { config, allSpans } = watched();
    const first = new AIMessage({
      content: "",
      tool_calls: [call("c1")],
      usage_metadata: usage as never,
      response_metadata: metadata,
    });
    await telling([makeTool(() => "fine")], [first, done], { name: "desk", checkpointer: new MemorySaver() }).invoke(
      ask,
      {
        ...config,
        configurable: { thread_id: "thread-1" },
      },
    );
    const byId = new Map(allSpans().map((span) => [span.spanContext().spanId, span.name]));
    const tree = allSpans().map(({ name, kind, parentSpanContext }) => [
      name,
      SpanKind[kind],
      byId.get(parentSpanContext?.spanId ?? ""),
    ]);
    expect(tree).toEqual([
      ["chat scripted-1", "CLIENT", "invoke_agent desk"],
      ["execute_tool t", "INTERNAL", "invoke_agent desk"],
      ["chat scripted-1", "CLIENT", "invoke_agent desk"],
      ["invoke_agent desk", "INTERNAL", undefined],
    ]);
    const [chat, executed, , agent] = allSpans();
    expect(chat!.attributes).toEqual({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "acme",
      "gen_ai.request.model": "scripted-1",
      "gen_ai.response.model": "scripted-1-0613",
      "gen_ai.response.id": "resp_1",
      "gen_ai.response.finish_reasons": ["tool_calls"],
      "gen_ai.usage.input_tokens": 12,
      "gen_ai.usage.output_tokens": 3,
      "gen_ai.conversation.id": "thread-1",
    });
    expect(executed!.attributes["gen_ai.agent.name"]).toBe("desk");
    expect(agent!.attributes).toEqual({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": "desk",
      "gen_ai.conversation.id": "thread-1",
      "toolspan.tool_calls": 1,
      "toolspan.failed_tool_calls": 0,
      "toolspan.unrecovered_tool_calls": 0,
    });
    expect(allSpans().map(({ status }) => status.code)).toEqual([0, 0, 0, 0]);
  });

  it("a sub-agent under the tool that called it, with its own name and counts", async () => {
    const { config, allSpans } = watched();
    const sub = agentOf([fails()], { name: "sub" });
    const task = makeTool(async (_, inside) => (await sub.invoke(ask, inside)).messages.length, { name: "task" });
    await agentOf([task], { name: "main" }, [asks(call("call_1", "task")), done]).invoke(ask, config);
    const byId = new Map(allSpans().map((span) => [span.spanContext().spanId, span]));
    const nameOf = (span: ReadableSpan | undefined): string | undefined =>
      span && `${span.name} < ${nameOf(byId.get(span.parentSpanContext?.spanId ?? "")) ?? "-"}`;
    const inner = allSpans().find(({ name }) => name === "execute_tool t");
    expect(nameOf(inner)).toBe("execute_tool t < invoke_agent sub < execute_tool task < invoke_agent main < -");
    expect(inner!.attributes["gen_ai.agent.name"]).toBe("sub");
    const agents = allSpans().filter(({ name }) => name.startsWith("invoke_agent"));
    expect(attributesOf(agents, "toolspan.failed_tool_calls")).toEqual([1, 0]);
    expect(attributesOf(agents, "toolspan.tool_calls")).toEqual([1, 1]);
  });

  it("without a name where the graph has none", async () => {
    const { config, allSpans } = watched();
    await agentOf([makeTool(() => "fine")]).invoke(ask, config);
    const agent = allSpans().at(-1)!;
    expect(agent.name).toBe("invoke_agent");
    expect(agent.attributes).not.toHaveProperty("gen_ai.agent.name");
    expect(agent.attributes).not.toHaveProperty("gen_ai.conversation.id");
  });

  it('with spans "tools", tool spans only, and the calls without a run all the same', async () => {
    const { config, allSpans } = watched({ spans: "tools" });
    const tools = [makeTool(() => "fine")];
    await telling(tools, [asks(call("c1"), call("c2", "nope")), done]).invoke(ask, config);
    expect(
      allSpans()
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(["execute_tool t", "execute_tool unknown_tool"]);
  });

  it("messages only when opted in, masked", async () => {
    const secret = new AIMessage({ content: "the token is Bearer abcdef123456", tool_calls: [] });
    const quiet = watched();
    await telling([], [secret]).invoke(ask, quiet.config);
    expect(JSON.stringify(quiet.allSpans().map(({ attributes }) => attributes))).not.toMatch(/Bearer|"go"/);
    const open = watched({ captureContent: { messages: true } });
    await telling([], [secret]).invoke(ask, open.config);
    expect(open.allSpans()[0]!.attributes).toMatchObject({
      "gen_ai.input.messages": '[{"role":"user","parts":[{"type":"text","content":"go"}]}]',
      "gen_ai.output.messages": '[{"role":"assistant","parts":[{"type":"text","content":"the token is Bearer ***"}]}]',
    });
  });

  it.each([
    [
      "stream",
      async (agent: ReturnType<typeof agentOf>, config: object) => {
        for await (const _ of await agent.stream(ask, config));
      },
    ],
    [
      "streamEvents",
      async (agent: ReturnType<typeof agentOf>, config: object) => {
        for await (const _ of agent.streamEvents(ask, { ...config, version: "v2" }));
      },
    ],
    [
      "batch",
      async (agent: ReturnType<typeof agentOf>, config: object) => void (await agent.graph.batch([ask], config)),
    ],
  ])("the same by %s", async (_title, run) => {
    const { config, allSpans } = watched();
    await run(agentOf([fails()]), config);
    expect(allSpans().map(({ name }) => name)).toEqual(["chat", "execute_tool t", "chat", "invoke_agent"]);
    expect(verdict(allSpans()[1])).toEqual(failed("Error"));
  });
});

describe("a failure and its agent", () => {
  it("a handled one leaves every ancestor alone", async () => {
    const { config, allSpans } = watched();
    await agentOf([fails()]).invoke(ask, config);
    expect(allSpans().map(({ name, status }) => [name, status.code])).toEqual([
      ["chat", 0],
      ["execute_tool t", 2],
      ["chat", 0],
      ["invoke_agent", 0],
    ]);
  });

  it("an unhandled one marks the agent, and is told as an event once", async () => {
    const { config, allSpans } = watched();
    const passing = createMiddleware({ name: "passing", wrapToolCall: (request, handler) => handler(request) });
    await settle(agentOf([fails()], { middleware: [passing] }).invoke(ask, config));
    const agent = allSpans().at(-1)!;
    expect(agent).toMatchObject({ name: "invoke_agent", status: { code: 2, message: "boom" } });
    expect(agent.attributes).toMatchObject({ "error.type": expect.any(String), "toolspan.failed_tool_calls": 1 });
    expect(allSpans().flatMap(({ events }) => events)).toHaveLength(1);
  });

  it("a model that fails marks its call and the agent", async () => {
    class FailingModel extends ScriptedModel {
      override async _generate(): Promise<never> {
        throw new RangeError("quota");
      }
    }
    const { config, allSpans } = watched();
    await settle(createAgent({ model: new FailingModel([]), tools: [] } as never).invoke(ask, config));
    expect(allSpans().map(({ name, attributes }) => [name, attributes["error.type"]])).toEqual([
      ["chat", "RangeError"],
      ["invoke_agent", "RangeError"],
    ]);
    expect(allSpans().flatMap(({ events }) => events)).toHaveLength(1);
  });

  it("a stop, and a wait for a human, do not", async () => {
    const { config, allSpans } = watched();
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 20);
    const slow = makeTool(() => new Promise((resolve) => setTimeout(resolve, 500)));
    await settle(agentOf([slow]).invoke(ask, { ...config, signal: controller.signal }));
    await agentOf([makeTool(() => interrupt("?"))], { checkpointer: new MemorySaver() }).invoke(ask, {
      ...config,
      configurable: { thread_id: "1" },
    });
    const agents = allSpans().filter(({ name }) => name === "invoke_agent");
    expect(agents.map(({ status }) => status.code)).toEqual([0, 0]);
    expect(agents[0]!.attributes["toolspan.outcome"]).toBe("cancelled");
  });
});

describe("calls without a run", () => {
  const executedOf = (spans: readonly ReadableSpan[]) =>
    spans.map((span) => [span.name, span.attributes["toolspan.executed"], verdict(span)]);
  const t = (result: object, name = "t") => [[`execute_tool ${name}`, false, result]];
  const short = (status: "error" | "success") =>
    createMiddleware({
      name: "short",
      wrapToolCall: async ({ toolCall: { id } }) => answer(status, { toolCall: { id: id! } }),
    });

  it("refused arguments, without them and the stack in the message", async () => {
    const { config, spans, failures } = watched();
    await agentOf([makeTool(() => "x")], {}, [asks(toolCall("t", { secret: 1 })), done]).invoke(ask, config);
    expect(executedOf(spans())).toEqual(t(failed("tool_error")));
    expect(spans()[0]!.status.message).toMatch(/^Received tool input did not match expected schema/);
    expect(spans()[0]!.status.message).not.toMatch(/kwargs|secret|node_modules/);
    expect(await failures()).toBe(1);
  });

  it("an unknown tool: the invented name makes no series", async () => {
    const { config, spans, counts } = watched();
    await telling([makeTool(() => "x")], [asks(call("c1", "nope")), done]).invoke(ask, config);
    expect(executedOf(spans())).toEqual(t(failed("unknown_tool"), "unknown_tool"));
    expect(spans()[0]!.attributes).toMatchObject({
      "gen_ai.tool.name": "unknown_tool",
      "toolspan.requested_tool": "nope",
    });
    expect((await counts()).map(({ attributes }) => attributes["gen_ai.tool.name"])).toEqual(["unknown_tool"]);
  });

  it("an unknown tool of a model that does not say what it was offered: an error like another", async () => {
    const { config, spans } = watched();
    await agentOf([makeTool(() => "x")], {}, [asks(call("c1", "nope")), done]).invoke(ask, config);
    expect(executedOf(spans())).toEqual(t(failed("tool_error"), "nope"));
  });

  it("a middleware's own error", async () => {
    const { config, spans } = watched();
    await agentOf([makeTool(() => "x")], { middleware: [short("error")] }).invoke(ask, config);
    expect(executedOf(spans())).toEqual(t(failed("tool_error")));
  });

  it("an answer from a cache: a span, and no duration", async () => {
    const { config, spans, counts } = watched();
    await agentOf([makeTool(() => "x")], { middleware: [short("success")] }).invoke(ask, config);
    expect(executedOf(spans())).toEqual(t(succeeded));
    expect(await counts()).toEqual([]);
  });

  it("a human's no", async () => {
    const { config, spans, failures } = watched();
    const agent = agentOf([makeTool(() => "x")], {
      checkpointer: new MemorySaver(),
      middleware: [humanInTheLoopMiddleware({ interruptOn: { t: true } } as never)],
    });
    const thread = { ...config, configurable: { thread_id: "1" } };
    await agent.invoke(ask, thread);
    await agent.invoke(
      new Command({ resume: { decisions: [{ type: "reject", message: "no thanks" }] } }) as never,
      thread,
    );
    expect(executedOf(spans())).toEqual(t(unfailed("denied")));
    expect(await failures()).toBe(0);
  });

  it("a call limit", async () => {
    const { config, spans } = watched();
    await agentOf([makeTool(() => "x")], { middleware: [toolCallLimitMiddleware({ runLimit: 1 } as never)] }, [
      asks(call("c1"), call("c2")),
      done,
    ]).invoke(ask, config);
    const byCall = spans().map((span) => [span.attributes["gen_ai.tool.call.id"], verdict(span)]);
    expect(byCall).toEqual([
      ["c2", unfailed("denied")],
      ["c1", succeeded],
    ]);
  });

  it("parallel todo lists", async () => {
    const { config, spans } = watched();
    const todos = (id: string) => toolCall("write_todos", { todos: [] }, id);
    await agentOf([], { middleware: [todoListMiddleware()] }, [asks(todos("c1"), todos("c2")), done]).invoke(
      ask,
      config,
    );
    expect(spans().map(verdict)).toEqual([failed("tool_error"), failed("tool_error")]);
  });

  it("structured output is no call", async () => {
    const { config, spans } = watched();
    const strategy = toolStrategy(z.object({ n: z.number() }));
    const { name } = (strategy as unknown as { name: string }[])[0]!;
    const answers = [asks(toolCall(name, { n: "no" }, "s1")), asks(toolCall(name, { n: 1 }, "s2"))];
    await createAgent({ model: new ScriptedModel(answers), tools: [], responseFormat: strategy } as never).invoke(
      ask,
      config,
    );
    expect(spans()).toEqual([]);
  });
});

describe("what became of a call", () => {
  it("a retry that recovered: two runs, the first marked", async () => {
    const { config, spans, allSpans, counts } = watched();
    let runs = 0;
    const flaky = makeTool(() => {
      if (runs++ === 0) throw new Error("flaky");
      return "ok";
    });
    await agentOf([flaky], { middleware: [toolRetryMiddleware({ maxRetries: 2, ...quick })] }).invoke(ask, config);
    expect(spans().map(verdict)).toEqual([failed("Error"), succeeded]);
    expect(attributesOf(spans(), "toolspan.recovered")).toEqual([true, undefined]);
    expect(attributesOf(spans(), "toolspan.attempt")).toEqual([undefined, 2]);
    expect(allSpans().at(-1)!.attributes).toMatchObject({ "toolspan.tool_calls": 1, "toolspan.failed_tool_calls": 0 });
    expect((await counts()).map(({ attributes }) => attributes["toolspan.recovered"])).toEqual([true, undefined]);
  });

  it("retries that did not", async () => {
    const { config, spans, allSpans } = watched();
    await agentOf([fails()], { middleware: [toolRetryMiddleware({ maxRetries: 2, ...quick })] }).invoke(ask, config);
    expect(attributesOf(spans(), "toolspan.attempt")).toEqual([undefined, 2, 3]);
    expect(attributesOf(spans(), "toolspan.recovered")).toEqual([undefined, undefined, undefined]);
    expect(allSpans().at(-1)!.attributes).toMatchObject({
      "toolspan.tool_calls": 1,
      "toolspan.failed_tool_calls": 1,
      "toolspan.unrecovered_tool_calls": 1,
    });
  });

  it("two calls that a model gives one id are no retry", async () => {
    const { config, spans } = watched();
    await agentOf([makeTool(() => "x")], {}, [asks(call("dup"), call("dup")), done]).invoke(ask, config);
    expect(attributesOf(spans(), "toolspan.attempt")).toEqual([undefined, undefined]);
  });

  it("of two calls that a model gives one id, each has the answer that is its own", async () => {
    const { config, spans, allSpans } = watched();
    const picky = makeTool(({ q }, at) => answer(q === "bad" ? "error" : "success", at));
    const calls = [toolCall("t", { q: "bad" }, "dup"), toolCall("t", { q: "good" }, "dup")];
    await agentOf([picky], {}, [asks(...calls), done]).invoke(ask, config);
    expect(spans().map(verdict)).toEqual([failed("tool_error"), succeeded]);
    expect(attributesOf(spans(), "toolspan.recovered")).toEqual([undefined, undefined]);
    expect(allSpans().at(-1)!.attributes).toMatchObject({ "toolspan.tool_calls": 2, "toolspan.failed_tool_calls": 1 });
  });

  it("a middleware that rejects what the tool returned", async () => {
    const { config, onlySpan, allSpans } = watched();
    const rejecting = createMiddleware({
      name: "rejecting",
      wrapToolCall: async (request, handler) => {
        await handler(request);
        return answer("error", { toolCall: { id: request.toolCall.id! } });
      },
    });
    await agentOf([makeTool(() => "bad data")], { middleware: [rejecting] }).invoke(ask, config);
    expect(verdict(onlySpan())).toEqual(succeeded);
    expect(onlySpan().attributes["toolspan.call_outcome"]).toBe("error");
    expect(allSpans().at(-1)!.attributes["toolspan.failed_tool_calls"]).toBe(1);
  });

  it("a failed call that a later one makes good, and one that none does", async () => {
    const { config, allSpans } = watched();
    let runs = 0;
    const search = makeTool(() => (runs++ === 0 ? answer("error", { toolCall: { id: "c1" } }) : "found"), {
      name: "search",
    });
    const turns = [asks(call("c1", "search")), asks(call("c2", "search"), call("c3", "broken")), done];
    const broken = makeTool(
      () => {
        throw new Error("no");
      },
      { name: "broken" },
    );
    await agentOf([search, broken], {}, turns).invoke(ask, config);
    expect(allSpans().at(-1)!.attributes).toMatchObject({
      "toolspan.tool_calls": 3,
      "toolspan.failed_tool_calls": 2,
      "toolspan.unrecovered_tool_calls": 1,
    });
  });

  it("two turns of one thread, and a resume by another process, count nothing twice", async () => {
    const checkpointer = new MemorySaver();
    const thread = { configurable: { thread_id: "1" } };
    const providers = traced();
    const turn = (answers: AIMessage[], input: unknown = ask) =>
      agentOf(
        [fails(), makeTool(() => `a ${String(interrupt("?"))}`, { name: "asks" })],
        { checkpointer },
        answers,
      ).invoke(input as never, {
        ...thread,
        ...watched({}, providers).config,
      });
    await turn([asks(call("c1")), done]);
    await turn([asks(call("c2")), done]);
    await turn([asks(call("c3", "asks")), done]);
    await turn([done], new Command({ resume: "yes" }));
    const seen = providers.spans().map((span) => [span.attributes["gen_ai.tool.call.id"], verdict(span).outcome]);
    expect(seen).toEqual([
      ["c1", "error"],
      ["c2", "error"],
      ["c3", "interrupted"],
      ["c3", "ok"],
    ]);
    expect(await providers.failures()).toBe(2);
    const [, , interrupted, resumed] = providers.spans();
    expect(resumed!.links.map(({ context }) => context.spanId)).toEqual([interrupted!.spanContext().spanId]);
    expect(providers.spans().flatMap(({ links }) => links)).toHaveLength(1);
  });

  it("an agent that is stopped leaves nothing open", async () => {
    const { config, handler, allSpans, started } = watched();
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 20);
    const slow = makeTool(() => new Promise((resolve) => setTimeout(resolve, 300)));
    await settle(
      agentOf([slow], {}, [asks(call("c1"), call("c2"), call("c3")), done]).invoke(ask, {
        ...config,
        signal: controller.signal,
      }),
    );
    expect(allSpans()).toHaveLength(started.length);
    handler.shutdown();
    expect(
      allSpans()
        .filter(({ name }) => name === "execute_tool t")
        .map((span) => verdict(span).outcome),
    ).toEqual(["cancelled", "cancelled", "cancelled"]);
  });
});

describe("a class tool in an agent", () => {
  it("that throws is named as the model knows it", async () => {
    const { config, onlySpan } = watched();
    class Failing extends StructuredTool {
      name = "class_tool";
      description = "d";
      schema = z.object({ q: z.string() });
      async _call(): Promise<string> {
        throw new Error("no");
      }
    }
    await agentOf([new Failing()], {}, [asks(call("c1", "class_tool")), done]).invoke(ask, config);
    expect(onlySpan().name).toBe("execute_tool class_tool");
  });
});
