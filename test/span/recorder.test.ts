import { ToolMessage } from "@langchain/core/messages";
import { context, metrics, ROOT_CONTEXT, SpanKind, trace } from "@opentelemetry/api";
import { AlwaysOffSampler } from "@opentelemetry/sdk-trace-node";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { createRecorder } from "../../src/index.ts";
import { said } from "../support/said.ts";
import { failed, succeeded, traced, unfailed, useContextManager, verdict } from "../support/traced.ts";
import { watched } from "../support/watched.ts";

beforeAll(useContextManager);
const lines = said();
const failure = new ToolMessage({ content: "boom", tool_call_id: "c1", status: "error" });

describe("a run becomes a span", () => {
  it("with the convention's name, kind and attributes, and no status on success", () => {
    const { recorder, onlySpan } = watched();
    recorder.onToolStart({
      key: "r1",
      name: "search",
      callId: "c1",
      args: { q: "x" },
      description: "finds",
      agentName: "desk",
      type: "extension",
    });
    recorder.onToolEnd("r1", "fine");
    const span = onlySpan();
    expect(span).toMatchObject({ name: "execute_tool search", kind: SpanKind.INTERNAL, events: [] });
    expect(span.attributes).toEqual({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "search",
      "gen_ai.tool.type": "extension",
      "gen_ai.tool.call.id": "c1",
      "gen_ai.tool.description": "finds",
      "gen_ai.agent.name": "desk",
      "toolspan.outcome": "ok",
    });
    expect(span.status).toEqual({ code: 0 });
    expect(span.instrumentationScope).toMatchObject({ name: "toolspan", version: "0.1.0" });
  });

  it("with nothing made up where nothing is known", () => {
    const { recorder, onlySpan } = watched();
    recorder.onToolStart({ key: "r1", name: "", callId: "" });
    recorder.onToolEnd("r1", undefined);
    expect(onlySpan().name).toBe("execute_tool unnamed_tool");
    expect(Object.keys(onlySpan().attributes).toSorted()).toEqual([
      "gen_ai.operation.name",
      "gen_ai.tool.name",
      "gen_ai.tool.type",
      "toolspan.outcome",
    ]);
  });

  it("a returned failure: ERROR, error.type, its own words, handled, and no exception event", async () => {
    const { recorder, onlySpan, counts } = watched();
    recorder.onToolStart({ key: "r1", name: "search" });
    recorder.onToolEnd("r1", failure);
    expect(verdict(onlySpan())).toEqual(failed("tool_error"));
    expect(onlySpan().status.message).toBe("boom");
    expect(onlySpan().attributes["toolspan.handled"]).toBe(true);
    expect(onlySpan().events).toEqual([]);
    expect(await counts()).toMatchObject([
      { count: 1, attributes: { "error.type": "tool_error", "toolspan.outcome": "error" } },
    ]);
  });

  it("a thrown failure: ERROR, error.type, and one exception event without the stack", () => {
    const { recorder, onlySpan } = watched();
    recorder.onToolStart({ key: "r1", name: "search" });
    recorder.onToolError("r1", Object.assign(new RangeError("boom"), { code: "E_RANGE" }));
    expect(verdict(onlySpan())).toEqual(failed("E_RANGE"));
    expect(onlySpan().attributes).not.toHaveProperty("toolspan.handled");
    expect(onlySpan().events).toMatchObject([{ name: "exception" }]);
    expect(onlySpan().events[0]!.attributes).toEqual({ "exception.type": "RangeError", "exception.message": "boom" });
  });

  it.each([
    ["undefined", undefined],
    ["a string", "boom"],
  ])("thrown %s", (_title, error) => {
    const { recorder, onlySpan } = watched();
    recorder.onToolStart({ key: "r1", name: "search" });
    recorder.onToolError("r1", error);
    expect(verdict(onlySpan())).toEqual(failed("_OTHER"));
    expect(onlySpan().events[0]!.attributes!["exception.type"]).toBe(typeof error);
  });

  it("the metric has the span's labels, the convention's unit and buckets, and no id", async () => {
    const { recorder, counts, meterProvider } = watched();
    recorder.onToolStart({ key: "r1", name: "search", callId: "c1", agentName: "desk" });
    recorder.onToolEnd("r1", "fine");
    expect(await counts()).toMatchObject([
      {
        count: 1,
        attributes: {
          "gen_ai.tool.name": "search",
          "gen_ai.tool.type": "function",
          "gen_ai.agent.name": "desk",
          "toolspan.outcome": "ok",
        },
      },
    ]);
    expect(Object.keys((await counts())[0]!.attributes)).toHaveLength(4);
    expect(meterProvider).toBeDefined();
  });
});

describe("ends", () => {
  it("the first one wins; later ones are quiet", async () => {
    const { recorder, onlySpan, counts } = watched();
    recorder.onToolStart({ key: "r1", name: "t" });
    recorder.onToolError("r1", new Error("no"));
    recorder.onToolEnd("r1", "fine");
    recorder.onToolError("r1", new Error("again"));
    expect(verdict(onlySpan())).toEqual(failed("Error"));
    expect(await counts()).toHaveLength(1);
  });

  it("a second start of an open run is ignored", () => {
    const { recorder, onlySpan } = watched();
    recorder.onToolStart({ key: "r1", name: "t" });
    recorder.onToolStart({ key: "r1", name: "u" });
    recorder.onToolEnd("r1", "fine");
    expect(onlySpan().name).toBe("execute_tool t");
  });

  it("a key may start again after its end", () => {
    const { recorder, spans } = watched();
    for (const value of ["fine", failure]) {
      recorder.onToolStart({ key: "c1", name: "t" });
      recorder.onToolEnd("c1", value);
    }
    expect(spans().map(verdict)).toEqual([succeeded, failed("tool_error")]);
  });

  it("an end without a start makes a span of its own, named by the answer, with its call id", async () => {
    const { recorder, onlySpan, failures } = watched();
    recorder.onToolEnd("r1", new ToolMessage({ content: "no", tool_call_id: "c7", name: "search", status: "error" }));
    recorder.onToolEnd("r1", "again");
    expect(onlySpan().name).toBe("execute_tool search");
    expect(onlySpan().attributes["gen_ai.tool.call.id"]).toBe("c7");
    expect(verdict(onlySpan())).toEqual(failed("tool_error"));
    expect(await failures()).toBe(1);
  });

  it("what is told with a lost run's end is used first", () => {
    const { recorder, onlySpan } = watched();
    recorder.onToolError("r1", new Error("no"), { name: "search", callId: "c9" });
    expect(onlySpan().name).toBe("execute_tool search");
    expect(onlySpan().attributes["gen_ai.tool.call.id"]).toBe("c9");
  });

  it("an answer names a run that was started under a stand-in, unless it answers another call", () => {
    const { recorder, spans } = watched();
    const answer = (id: string) => new ToolMessage({ content: "", tool_call_id: id, name: "real" });
    const start = (key: string, isStandIn: boolean) =>
      recorder.onToolStart({ key, name: "ClassName", isStandIn, callId: "c1" });
    start("r1", true);
    recorder.onToolEnd("r1", answer("c1"));
    start("r2", true);
    recorder.onToolEnd("r2", answer("c2"));
    start("r3", false); // a tool may pass on what another tool answered
    recorder.onToolEnd("r3", answer("c1"));
    expect(spans().map(({ name, attributes }) => [name, attributes["gen_ai.tool.name"]])).toEqual([
      ["execute_tool real", "real"],
      ["execute_tool ClassName", "ClassName"],
      ["execute_tool ClassName", "ClassName"],
    ]);
  });
});

describe("providers", () => {
  afterEach(() => {
    trace.disable();
    metrics.disable();
  });

  it("the globals are looked up late: they may be registered after the recorder is made", async () => {
    const recorder = createRecorder();
    recorder.onToolStart({ key: "lost", name: "t" });
    recorder.onToolEnd("lost", "fine");
    const { tracerProvider, meterProvider, onlySpan, counts } = traced();
    trace.setGlobalTracerProvider(tracerProvider);
    metrics.setGlobalMeterProvider(meterProvider);
    recorder.onToolStart({ key: "r1", name: "t" });
    recorder.onToolEnd("r1", "fine");
    expect(verdict(onlySpan())).toEqual(succeeded);
    expect((await counts()).map(({ count }) => count)).toEqual([1]);
  });

  it("two recorders of one provider make one span, one metric point; the first one's options win and it is said once", async () => {
    const providers = traced();
    const one = watched({ successStatus: "ok" }, providers);
    const two = watched({ successStatus: "unset" }, providers);
    for (const key of ["r1", "r2"]) {
      for (const { recorder } of [one, two]) recorder.onToolStart({ key, name: "t" });
      for (const { recorder } of [two, one]) recorder.onToolEnd(key, "fine");
    }
    expect(providers.spans().map(({ status }) => status.code)).toEqual([1, 1]);
    expect((await providers.counts()).map(({ count }) => count)).toEqual([2]);
    expect(lines.splice(0)).toEqual([expect.stringContaining("two handlers with different options")]);
  });

  it("two recorders with the same options say nothing", () => {
    const providers = traced();
    const options = { errorOutcomes: ["denied"], limits: { contentBytes: 100 } } as const;
    for (const { recorder } of [watched(options, providers), watched(structuredClone(options), providers)]) {
      recorder.onToolStart({ key: "r1", name: "t" });
    }
    expect(lines).toEqual([]);
  });

  it("the same provider, given or global, is one provider", () => {
    const providers = traced();
    trace.setGlobalTracerProvider(providers.tracerProvider);
    createRecorder().onToolStart({ key: "r1", name: "t" });
    watched({}, providers).recorder.onToolStart({ key: "r1", name: "t" });
    watched({}, providers).recorder.onToolEnd("r1", "fine");
    expect(providers.spans()).toHaveLength(1);
    expect(lines.splice(0)).toEqual([expect.stringContaining("two handlers with different options")]);
  });

  it("two copies of the library share their open runs", async () => {
    const providers = traced();
    vi.resetModules();
    const copy = (await import("../../src/index.ts")).createRecorder;
    expect(copy).not.toBe(createRecorder);
    const { tracerProvider, meterProvider } = providers;
    const recorders = [createRecorder, copy].map((make) => make({ tracerProvider, meterProvider }));
    for (const recorder of recorders) recorder.onToolStart({ key: "r1", name: "t" });
    for (const recorder of recorders.toReversed()) recorder.onToolEnd("r1", failure);
    expect(providers.spans().map(verdict)).toEqual([failed("tool_error")]);
    expect(await providers.failures()).toBe(1);
  });

  it("different providers each get their span", () => {
    const [one, two] = [watched(), watched()];
    for (const { recorder } of [one, two]) recorder.onToolStart({ key: "r1", name: "t" });
    for (const { recorder } of [one, two]) recorder.onToolEnd("r1", "fine");
    expect([one.spans().length, two.spans().length]).toEqual([1, 1]);
  });
});

describe("a span that does not record", () => {
  it("costs no serialising and no masking, and is counted", async () => {
    let reads = 0;
    const args = Object.defineProperty({}, "q", { enumerable: true, get: () => reads++ });
    const { recorder, spans, counts } = watched(
      { captureContent: true, redact: (value) => (reads++, value) },
      traced({ sampler: new AlwaysOffSampler() }),
    );
    recorder.onToolStart({ key: "r1", name: "t", args });
    recorder.onToolEnd("r1", args);
    recorder.onToolStart({ key: "r2", name: "t", args });
    recorder.onToolError("r2", new Error("no"));
    expect(reads).toBe(0);
    expect(spans()).toEqual([]);
    expect((await counts()).map(({ count, attributes }) => [count, attributes["error.type"]])).toEqual([
      [1, undefined],
      [1, "Error"],
    ]);
  });
});

describe("switched off", () => {
  const suppressed = ROOT_CONTEXT.setValue(Symbol.for("OpenTelemetry SDK Context Key SUPPRESS_TRACING"), true);

  it("in a suppressed context nothing is written and nothing counted, also when the end comes outside of it", async () => {
    const { recorder, spans, counts } = watched();
    context.with(suppressed, () => {
      recorder.onToolStart({ key: "r1", name: "t" });
      recorder.onToolEnd("lost", "fine");
    });
    recorder.onToolEnd("r1", "fine");
    expect(spans()).toEqual([]);
    expect(await counts()).toEqual([]);
  });

  it.each([
    ["true", 0],
    [" TRUE ", 0],
    ["false", 1],
    ["", 1],
  ])("OTEL_SDK_DISABLED=%j: %i spans", async (value, many) => {
    process.env["OTEL_SDK_DISABLED"] = value;
    const { recorder, spans, counts } = watched();
    process.env["OTEL_SDK_DISABLED"] = "";
    recorder.onToolStart({ key: "r1", name: "t" });
    recorder.onToolEnd("r1", "fine");
    expect(recorder.run({ name: "t" }, () => 7)).toBe(7);
    expect(spans()).toHaveLength(many * 2);
    expect(await counts()).toHaveLength(many);
  });
});

describe("shutdown", () => {
  it("closes open runs as abandoned, counts them, and takes no more", async () => {
    const { recorder, spans, counts } = watched();
    recorder.onToolStart({ key: "r1", name: "t" });
    recorder.shutdown();
    recorder.shutdown();
    recorder.onToolEnd("r1", "fine");
    recorder.onToolStart({ key: "r2", name: "t" });
    recorder.onToolEnd("r3", "fine");
    expect(spans().map(verdict)).toEqual([unfailed("abandoned")]);
    expect(await counts()).toMatchObject([{ count: 1, attributes: { "toolspan.outcome": "abandoned" } }]);
  });

  it("leaves alone what another recorder opened", () => {
    const providers = traced();
    const [one, two] = [watched({}, providers), watched({}, providers)];
    one.recorder.onToolStart({ key: "r1", name: "t" });
    two.recorder.onToolStart({ key: "r2", name: "t" });
    two.recorder.shutdown();
    one.recorder.onToolEnd("r1", "fine");
    expect(providers.spans().map(verdict)).toEqual([unfailed("abandoned"), succeeded]);
  });
});

describe("options at work", () => {
  it("successStatus ok", () => {
    const { recorder, onlySpan } = watched({ successStatus: "ok" });
    recorder.onToolStart({ key: "r1", name: "t" });
    recorder.onToolEnd("r1", "fine");
    expect(verdict(onlySpan())).toEqual({ status: "OK", outcome: "ok" });
  });

  it("errorOutcomes shows a cancellation as an error, on span and metric, with what was thrown", async () => {
    const { recorder, onlySpan, failures } = watched({ errorOutcomes: ["cancelled"] });
    recorder.onToolStart({ key: "r1", name: "t" });
    recorder.onToolError("r1", new DOMException("stopped", "AbortError"));
    expect(verdict(onlySpan())).toEqual({ status: "ERROR", outcome: "cancelled", errorType: "cancelled" });
    expect(onlySpan().status.message).toBe("stopped");
    expect(onlySpan().events).toHaveLength(1);
    expect(onlySpan().attributes).not.toHaveProperty("toolspan.handled");
    expect(await failures()).toBe(1);
  });

  it("a cancellation writes no event, no message and no error.type by default", async () => {
    const { recorder, onlySpan, failures } = watched({ errorOutcomes: ["denied"] });
    recorder.onToolStart({ key: "r1", name: "t" });
    recorder.onToolError("r1", new DOMException("stopped", "AbortError"));
    expect(verdict(onlySpan())).toEqual(unfailed("cancelled"));
    expect(onlySpan().events).toEqual([]);
    expect(onlySpan().status).toEqual({ code: 0 });
    expect(await failures()).toBe(0);
  });

  it("isFailure judges what the rules let pass, with the call; its text becomes the message", async () => {
    const asked: unknown[] = [];
    const isFailure = (value: unknown, call: { name?: string }) => {
      asked.push(call.name);
      return String(value).startsWith("Error:");
    };
    const { recorder, spans, failures } = watched({ isFailure });
    for (const [key, value] of [
      ["r1", "Error: gone"],
      ["r2", "fine"],
      ["r3", failure],
    ] as const) {
      recorder.onToolStart({ key, name: "t" });
      recorder.onToolEnd(key, value);
    }
    recorder.onToolStart({ key: "r4", name: "t" });
    recorder.onToolError("r4", new Error("Error: thrown"));
    expect(spans().map(verdict)).toEqual([failed("tool_error"), succeeded, failed("tool_error"), failed("Error")]);
    expect(spans()[0]!.status.message).toBe("Error: gone");
    expect(asked).toEqual(["t", "t"]);
    expect(await failures()).toBe(3);
  });

  it("isFailure must say true, not just something", () => {
    const { recorder, onlySpan } = watched({ isFailure: (() => "yes") as never });
    recorder.onToolStart({ key: "r1", name: "t" });
    recorder.onToolEnd("r1", "fine");
    expect(verdict(onlySpan())).toEqual(succeeded);
  });

  it("rules of the user's own are asked first, the built-in ones after", () => {
    const rules = [
      (value: unknown) =>
        value === "no route" ? ({ kind: "error", type: "no_route", message: "none" } as const) : undefined,
    ];
    const { recorder, spans } = watched({ rules });
    for (const [key, value] of [
      ["r1", "no route"],
      ["r2", failure],
    ] as const) {
      recorder.onToolStart({ key, name: "t" });
      recorder.onToolEnd(key, value);
    }
    expect(spans().map(verdict)).toEqual([failed("no_route"), failed("tool_error")]);
  });

  it("attributes of the user's own go to the span, not the metric, and do not replace ours", async () => {
    const attributes = ({ callId }: { callId?: string | undefined }) => ({
      "session.id": `s-${callId}`,
      "gen_ai.tool.name": "mine",
    });
    const { recorder, onlySpan, counts } = watched({ attributes });
    recorder.onToolStart({ key: "r1", name: "t", callId: "c1" });
    recorder.onToolEnd("r1", "fine");
    expect(onlySpan().attributes).toMatchObject({ "session.id": "s-c1", "gen_ai.tool.name": "t" });
    expect((await counts())[0]!.attributes).not.toHaveProperty("session.id");
  });
});

describe("the agent never notices our faults", () => {
  const boom = (): never => {
    throw new Error("ours");
  };

  it.each([
    ["rules", { rules: [boom] }, succeeded],
    ["isFailure", { isFailure: boom }, succeeded],
    ["attributes", { attributes: boom }, succeeded],
    ["redact", { redact: boom, captureContent: true }, succeeded],
  ])("a hook that throws: %s; said once", (name, options, wanted) => {
    const { recorder, spans } = watched(options);
    for (const key of ["r1", "r2"]) {
      recorder.onToolStart({ key, name: "t", args: { q: 1 } });
      recorder.onToolEnd(key, { value: 1 });
    }
    expect(spans().map(verdict)).toEqual([wanted, wanted]);
    expect(lines.splice(0)).toEqual([expect.stringContaining(`toolspan: ${name} failed`)]);
    expect(Object.keys(spans()[0]!.attributes).filter((key) => key.startsWith("gen_ai.tool.call"))).toEqual([]);
  });

  it.each(["startSpan", "setAttribute", "setStatus", "end", "isRecording", "updateName"])(
    "a tracer whose %s throws; counted all the same",
    async (method) => {
      const { meterProvider, counts, tracerProvider } = traced();
      const span = tracerProvider.getTracer("t").startSpan("t");
      const tracer =
        method === "startSpan"
          ? { startSpan: boom }
          : { startSpan: () => Object.assign(Object.create(span), { [method]: boom }) };
      const recorder = createRecorder({ meterProvider, tracerProvider: { getTracer: () => tracer } as never });
      recorder.onToolStart({ key: "r1", name: "class" });
      recorder.onToolEnd("r1", failure);
      expect(recorder.run({ name: "t" }, () => 7)).toBe(7);
      recorder.shutdown();
      expect((await counts()).map(({ count }) => count)).toEqual([1, 1]);
      expect(lines.splice(0).length).toBeLessThanOrEqual(2);
    },
  );

  it("a meter that throws", () => {
    const { tracerProvider, onlySpan } = traced();
    const recorder = createRecorder({ tracerProvider, meterProvider: { getMeter: boom } });
    recorder.onToolStart({ key: "r1", name: "t" });
    recorder.onToolEnd("r1", "fine");
    expect(verdict(onlySpan())).toEqual(succeeded);
    expect(lines.splice(0)).toHaveLength(1);
  });

  it("a provider that throws", () => {
    const recorder = createRecorder({ tracerProvider: { getTracer: boom } });
    recorder.onToolStart({ key: "r1", name: "t" });
    recorder.onToolEnd("r1", "fine");
    recorder.onParentEnd("p");
    recorder.shutdown();
    expect(lines.splice(0)).toHaveLength(1);
  });
});
