import { context, trace } from "@opentelemetry/api";
import { NodeInterrupt } from "@langchain/langgraph";
import { AlwaysOffSampler, type Sampler, SamplingDecision } from "@opentelemetry/sdk-trace-node";
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { RecorderOptions } from "../../src/index.ts";
import type { AgentDrawing, ChatAnswer, ChatDrawing } from "../../src/span/drawing.ts";
import { createAdapterRecorder } from "../../src/span/recorder.ts";
import { useFakeClock } from "../support/fake-clock.ts";
import { said } from "../support/said.ts";
import { shownMeter } from "../support/shown-meter.ts";
import { type Traced, traced, useContextManager } from "../support/traced.ts";

beforeAll(useContextManager);
const lines = said();

const desk: AgentDrawing = { kind: "agent", name: "desk", conversationId: "thread-1" };
const chat: ChatDrawing = { kind: "chat", requestModel: "m", provider: "acme", conversationId: "thread-1" };

/** An adapter's recorder in which an agent "a" is open. */
function agentOpen(options: RecorderOptions = {}, providers: Traced = traced(), drawing: AgentDrawing = desk) {
  const { tracerProvider, meterProvider } = providers;
  const recorder = createAdapterRecorder({ tracerProvider, meterProvider, ...options });
  recorder.onParentStart({ key: "a", drawing });
  const chats = (given: ChatDrawing = chat, answer?: ChatAnswer): void => {
    recorder.onParentStart({ key: "c", parentKey: "a", drawing: given });
    recorder.onParentEnd("c", undefined, answer);
  };
  const toolThrows = (error: unknown): void => {
    recorder.onToolStart({ key: "t", name: "t", parentKey: "a" });
    recorder.onToolError("t", error);
  };
  return { ...providers, recorder, chats, toolThrows };
}

describe("at its start", () => {
  /** What samplers are given, which is all that is known then. */
  const attributesOf = (options: RecorderOptions, agent: AgentDrawing, given: ChatDrawing): readonly unknown[] => {
    const seen: unknown[] = [];
    const sampler: Sampler = {
      shouldSample: (...args) => (seen.push(args[4]), { decision: SamplingDecision.RECORD_AND_SAMPLED }),
    };
    agentOpen(options, traced({ sampler }), agent).chats(given);
    return seen;
  };

  it("an agent and a model call say what is known of them", () => {
    expect(attributesOf({}, desk, chat)).toStrictEqual([
      {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "desk",
        "gen_ai.conversation.id": "thread-1",
      },
      {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "m",
        "gen_ai.provider.name": "acme",
        "gen_ai.conversation.id": "thread-1",
      },
    ]);
  });

  it("and nothing of what is not", () => {
    expect(
      attributesOf({}, { kind: "agent", name: "" }, { kind: "chat", requestModel: undefined, provider: "" }),
    ).toStrictEqual([{ "gen_ai.operation.name": "invoke_agent" }, { "gen_ai.operation.name": "chat" }]);
  });

  it("attributes of the user's own are there, and do not replace ours", () => {
    const attributes = () => ({ tenant: "acme", "gen_ai.operation.name": "mine", "gen_ai.agent.name": "mine" });
    expect(attributesOf({ attributes }, desk, { kind: "chat" })).toStrictEqual([
      {
        tenant: "acme",
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "desk",
        "gen_ai.conversation.id": "thread-1",
      },
      { tenant: "acme", "gen_ai.operation.name": "chat", "gen_ai.agent.name": "mine" },
    ]);
  });
});

describe("messages", () => {
  const asking = () => {
    const inputMessages = vi.fn<() => unknown>(() => ["question"]);
    const outputMessages = vi.fn<() => unknown>(() => ["answer"]);
    return { inputMessages, outputMessages };
  };
  const capture = { captureContent: { messages: true } };

  it("go through redact, which is told where they would be written, and asked of nothing else", () => {
    const redact = vi.fn<(value: unknown, where: string) => unknown>((value) => [value, "seen"]);
    const { chats, recorder, allSpans } = agentOpen({ ...capture, redact });
    const { inputMessages, outputMessages } = asking();
    chats({ ...chat, inputMessages }, { outputMessages });
    chats(chat, {});
    recorder.onParentEnd("a");
    expect(redact.mock.calls).toEqual([
      [["question"], "messages"],
      [["answer"], "messages"],
    ]);
    expect(allSpans()[0]!.attributes).toMatchObject({
      "gen_ai.input.messages": '[["question"],"seen"]',
      "gen_ai.output.messages": '[["answer"],"seen"]',
    });
    for (const { attributes } of allSpans().slice(1))
      expect(Object.keys(attributes).filter((name) => name.endsWith("messages"))).toEqual([]);
  });

  it.each([
    ["they are not captured", {}, traced()],
    ["the span does not record", capture, traced({ sampler: new AlwaysOffSampler() })],
  ])("are not asked for where %s", (_title, options, providers) => {
    const { inputMessages, outputMessages } = asking();
    agentOpen(options, providers).chats({ ...chat, inputMessages }, { outputMessages });
    expect([inputMessages.mock.calls, outputMessages.mock.calls]).toEqual([[], []]);
  });

  it("that cannot be had cost no span", () => {
    const { chats, allSpans } = agentOpen(capture);
    const inputMessages = () => {
      throw new Error("gone");
    };
    chats({ ...chat, inputMessages });
    expect(allSpans().map(({ name }) => name)).toEqual(["chat m"]);
    expect(lines.splice(0)).toEqual(["toolspan: setAttribute failed; said once Error: gone"]);
  });
});

describe("at its end", () => {
  it("a model call says what its answer tells, and nothing of what it does not", () => {
    const { chats, allSpans } = agentOpen();
    chats({ kind: "chat" }, { responseModel: "m-1", responseId: "", finishReasons: ["stop"], inputTokens: 0 });
    expect(allSpans()[0]!.attributes).toStrictEqual({
      "gen_ai.operation.name": "chat",
      "gen_ai.response.model": "m-1",
      "gen_ai.response.finish_reasons": ["stop"],
      "gen_ai.usage.input_tokens": 0,
    });
  });

  it("an agent that was let go to make room is abandoned, as a tool run would be", () => {
    const { recorder, allSpans } = agentOpen({ limits: { openRuns: 1 } });
    recorder.onParentStart({ key: "other" });
    expect(allSpans()).toMatchObject([{ name: "invoke_agent desk", status: { code: 0 }, events: [] }]);
    expect(allSpans()[0]!.attributes["toolspan.outcome"]).toBe("abandoned");
  });

  it("a failed model call has its error, and no outcome: that is an agent's and a tool's", () => {
    const { recorder, allSpans } = agentOpen();
    recorder.onParentStart({ key: "c", parentKey: "a", drawing: { kind: "chat" } });
    recorder.onParentError("c", new RangeError("quota"));
    expect(allSpans()[0]).toMatchObject({ status: { code: 2, message: "quota" }, events: [{ name: "exception" }] });
    expect(allSpans()[0]!.attributes).toStrictEqual({ "gen_ai.operation.name": "chat", "error.type": "RangeError" });
  });

  it("an agent that waits for a human has no error", () => {
    const { recorder, allSpans } = agentOpen();
    recorder.onParentError("a", new NodeInterrupt("go on?"));
    expect(allSpans()).toMatchObject([{ status: { code: 0 }, events: [] }]);
    expect(allSpans()[0]!.attributes["toolspan.outcome"]).toBe("interrupted");
    expect(allSpans()[0]!.attributes).not.toHaveProperty("error.type");
  });

  it.each([
    ["not what a tool has told", (cause: Error) => cause, 0],
    ["not what wraps that", (cause: Error) => new Error("wrapped", { cause }), 0],
    ["what is its own", () => new Error("boom"), 1],
  ])("a failed agent tells as an event: %s", (_title, errorOf, told) => {
    const { recorder, toolThrows, allSpans } = agentOpen();
    const cause = new Error("boom");
    toolThrows(cause);
    recorder.onParentError("a", errorOf(cause));
    const agent = allSpans()[1]!;
    expect(agent.attributes).toMatchObject({ "toolspan.outcome": "error", "error.type": "Error" });
    expect([agent.status.code, agent.events.length]).toEqual([2, told]);
  });

  it("what a model call has told, its agent does not tell again", () => {
    const { recorder, allSpans } = agentOpen();
    const error = new Error("quota");
    recorder.onParentStart({ key: "c", parentKey: "a", drawing: chat });
    recorder.onParentError("c", error);
    recorder.onParentError("a", error);
    expect(allSpans().map(({ status, events }) => [status.code, events.length])).toEqual([
      [2, 1],
      [2, 0],
    ]);
  });
});

describe("the metrics of an agent", () => {
  useFakeClock();

  it("are its duration in seconds, and how often it called a tool and the model", () => {
    const { points, meterProvider } = shownMeter();
    const { recorder, chats, toolThrows } = agentOpen({ meterProvider });
    chats();
    chats();
    toolThrows(new Error("no"));
    vi.advanceTimersByTime(2500);
    recorder.onParentEnd("a");
    const attributes = { "gen_ai.agent.name": "desk" };
    expect(points.slice(1).map((point) => [point.name, point.value, point.attributes])).toStrictEqual([
      ["gen_ai.invoke_agent.duration", 2.5, attributes],
      ["gen_ai.invoke_agent.tool_calls", 1, attributes],
      ["gen_ai.invoke_agent.inference_calls", 2, attributes],
    ]);
  });

  it("say what it failed with, and no name where it has none", () => {
    const { points, meterProvider } = shownMeter();
    const { recorder } = agentOpen({ meterProvider }, traced(), { kind: "agent" });
    recorder.onParentError("a", new RangeError("no"));
    const attributes = { "error.type": "RangeError" };
    expect(points.map((point) => point.attributes)).toStrictEqual([attributes, attributes, attributes]);
  });

  it("have its own span for exemplars where that is sampled, else that of its caller", () => {
    const { points, meterProvider } = shownMeter();
    const sampled = agentOpen({ meterProvider });
    sampled.recorder.onParentEnd("a");
    const own = sampled.allSpans()[0]!.spanContext();
    expect(points.map((point) => trace.getSpanContext(point.context))).toEqual([own, own, own]);
    const app = traced().tracerProvider.getTracer("app").startSpan("app");
    const unsampled = traced({ sampler: new AlwaysOffSampler() });
    context.with(trace.setSpan(context.active(), app), () => {
      agentOpen({ meterProvider }, unsampled).recorder.onParentEnd("a");
    });
    expect(points.slice(3).map((point) => trace.getSpan(point.context))).toEqual([app, app, app]);
  });

  it("are counted where the tracer failed", () => {
    const { points, meterProvider } = shownMeter();
    const startSpan = () => {
      throw new Error("ours");
    };
    const tracerProvider = { getTracer: () => ({ startSpan }) } as never;
    agentOpen({ meterProvider, tracerProvider }).recorder.onParentError("a", new Error("no"));
    expect(points.map(({ name }) => name)).toHaveLength(3);
    expect(lines.splice(0)).toEqual(["toolspan: startSpan failed; said once Error: ours"]);
  });
});
