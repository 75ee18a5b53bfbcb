import { ToolMessage } from "@langchain/core/messages";
import {
  context,
  diag,
  metrics,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  SpanKind,
  trace,
  type Tracer,
} from "@opentelemetry/api";
import { AlwaysOffSampler, type Sampler, SamplingDecision } from "@opentelemetry/sdk-trace-node";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { createRecorder } from "../../src/index.ts";
import { closeOpenRuns } from "../../src/span/recorder.ts";
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
    expect(onlySpan().attributes["gen_ai.tool.type"]).toBe("function");
    expect(Object.keys(onlySpan().attributes).toSorted()).toEqual([
      "gen_ai.operation.name",
      "gen_ai.tool.name",
      "gen_ai.tool.type",
      "toolspan.outcome",
    ]);
  });

  it.each([
    [{}, {}],
    [
      { callId: "c1", description: "finds", agentName: "desk" },
      { "gen_ai.tool.call.id": "c1", "gen_ai.tool.description": "finds", "gen_ai.agent.name": "desk" },
    ],
  ])("samplers see what is known of it: %j", (known, attributes) => {
    const seen: unknown[] = [];
    const sampler: Sampler = {
      shouldSample: (...args) => (seen.push(args[4]), { decision: SamplingDecision.RECORD_AND_SAMPLED }),
    };
    watched({}, traced({ sampler })).recorder.run({ name: "search", ...known }, () => 7);
    expect(seen).toStrictEqual([
      {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "search",
        "gen_ai.tool.type": "function",
        ...attributes,
      },
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

  it("nothing is made up for a lost run of which nothing is known", () => {
    const { recorder, onlySpan } = watched();
    recorder.onToolError("r1", new Error("no"));
    expect(onlySpan().name).toBe("execute_tool unnamed_tool");
    expect(onlySpan().attributes).not.toHaveProperty("gen_ai.tool.call.id");
  });

  it("the answer's call id is known to the lost run's attributes from the start", () => {
    const { recorder, onlySpan } = watched({ attributes: ({ callId }) => ({ "session.id": `s-${callId}` }) });
    recorder.onToolEnd("r1", new ToolMessage({ content: "", tool_call_id: "c7" }));
    expect(onlySpan().attributes["session.id"]).toBe("s-c7");
  });

  it("what is told with a lost run's end is used first", () => {
    const { recorder, onlySpan } = watched();
    recorder.onToolError("r1", new Error("no"), { name: "search", callId: "c9" });
    expect(onlySpan().name).toBe("execute_tool search");
    expect(onlySpan().attributes["gen_ai.tool.call.id"]).toBe("c9");
  });

  it("an answer names a run that was started under a stand-in, unless it answers another call", async () => {
    const { recorder, spans, counts } = watched();
    const answer = (id: string) => new ToolMessage({ content: "", tool_call_id: id, name: "real" });
    const start = (key: string, isStandIn: boolean, callId: string | undefined = "c1") =>
      recorder.onToolStart({ key, name: "ClassName", isStandIn, callId });
    start("r1", true);
    recorder.onToolEnd("r1", answer("c1"));
    start("r2", true);
    recorder.onToolEnd("r2", answer("c2"));
    start("r3", false); // a tool may pass on what another tool answered
    recorder.onToolEnd("r3", answer("c1"));
    start("r4", true, "");
    recorder.onToolEnd("r4", answer("c2"));
    start("r5", false, "");
    recorder.onToolEnd("r5", answer("c3"));
    const seen = spans().map(({ name, attributes }) => [
      name,
      attributes["gen_ai.tool.name"],
      attributes["gen_ai.tool.call.id"],
    ]);
    expect(seen).toEqual([
      ["execute_tool real", "real", "c1"],
      ["execute_tool ClassName", "ClassName", "c1"],
      ["execute_tool ClassName", "ClassName", "c1"],
      ["execute_tool real", "real", "c2"],
      ["execute_tool ClassName", "ClassName", "c3"],
    ]);
    expect((await counts()).map(({ attributes, count }) => [attributes["gen_ai.tool.name"], count])).toEqual([
      ["real", 2],
      ["ClassName", 3],
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

  it("without any nothing is kept, and no timer is started", () => {
    vi.useFakeTimers();
    try {
      createRecorder().onToolStart({ key: "r1", name: "t" });
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it("a global one that replaces another gets the runs from then on", () => {
    const recorder = createRecorder();
    const both = [traced(), traced()];
    for (const { tracerProvider } of both) {
      trace.disable();
      trace.setGlobalTracerProvider(tracerProvider);
      recorder.run({ name: "t" }, () => 7);
    }
    expect(both.map(({ spans }) => spans().length)).toEqual([1, 1]);
  });

  it("one is asked for its tracer once", () => {
    const test = traced();
    const getTracer = vi.spyOn(test.tracerProvider, "getTracer");
    const { recorder } = watched({}, test);
    for (const name of ["t", "u"]) recorder.run({ name }, () => 7);
    expect(getTracer.mock.calls).toEqual([["toolspan", "0.1.0"]]);
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
    const recorders = [createRecorder(), watched({}, providers).recorder];
    for (const recorder of recorders) recorder.onToolStart({ key: "r1", name: "t" });
    for (const recorder of recorders) recorder.onToolEnd("r1", "fine");
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

  it("leaves to another recorder the late ends of what that had to let go", async () => {
    const providers = traced();
    const one = watched({ limits: { openRuns: 1 } }, providers);
    for (const key of ["r1", "r2"]) one.recorder.onToolStart({ key, name: key });
    const two = watched({}, providers);
    two.recorder.run({ name: "t" }, () => 7);
    two.recorder.shutdown();
    for (const key of ["r1", "r2"]) one.recorder.onToolEnd(key, "fine");
    expect((await providers.counts()).map(({ attributes }) => attributes["toolspan.outcome"])).toEqual([
      "ok",
      "ok",
      "ok",
    ]);
  });

  it("of a whole provider closes every recorder's open runs, behind the API's proxy too", () => {
    const providers = traced();
    const recorders = [watched({}, providers).recorder, watched({ successStatus: "ok" }, providers).recorder];
    for (const [index, recorder] of recorders.entries()) recorder.onToolStart({ key: `r${index}`, name: "t" });
    const proxy = new ProxyTracerProvider();
    proxy.setDelegate(providers.tracerProvider);
    closeOpenRuns(proxy);
    expect(providers.spans().map(verdict)).toEqual([unfailed("abandoned"), unfailed("abandoned")]);
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

  it("a denial shown as an error has a fixed sentence for want of words, and is no failure the model got", () => {
    const denies = () => ({ kind: "denied" }) as const;
    const { recorder, onlySpan } = watched({ errorOutcomes: ["denied"], rules: [denies] });
    recorder.run({ name: "t" }, () => 7);
    expect(verdict(onlySpan())).toEqual({ status: "ERROR", outcome: "denied", errorType: "denied" });
    expect(onlySpan().status.message).toBe("tool call failed");
    expect(onlySpan().attributes).not.toHaveProperty("toolspan.handled");
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

  it.each([
    ["startSpan", "startSpan"],
    ["setAttribute", "setAttribute"],
    ["setStatus", "setAttribute"],
    ["end", "end"],
    ["isRecording", "setAttribute"],
    ["updateName", "setAttribute"],
  ])("a tracer whose %s throws; counted all the same, and said once", async (method, step) => {
    const { meterProvider, counts, tracerProvider: real } = traced();
    const span = real.getTracer("t").startSpan("t");
    const tracer =
      method === "startSpan"
        ? { startSpan: boom }
        : { startSpan: () => Object.assign(Object.create(span), { [method]: boom }) };
    const tracerProvider = { getTracer: () => tracer } as never;
    const recorder = createRecorder({ meterProvider, tracerProvider, captureContent: true });
    recorder.onToolStart({ key: "r1", name: "class", isStandIn: true, args: { q: 1 } });
    recorder.onToolEnd("r1", new ToolMessage({ content: "", tool_call_id: "c1", name: "real", status: "error" }));
    expect(recorder.run({ name: "t" }, () => 7)).toBe(7);
    recorder.shutdown();
    expect((await counts()).map(({ count }) => count)).toEqual([1, 1]);
    expect(lines.splice(0)).toEqual([`toolspan: ${step} failed; said once Error: ours`]);
  });

  it("a tracer that fails for the parent alone: the child's span is that of the active one", () => {
    const { meterProvider, tracerProvider: real, onlySpan } = traced();
    const tracer = real.getTracer("t");
    const startSpan = vi.fn<Tracer["startSpan"]>(tracer.startSpan.bind(tracer)).mockImplementationOnce(boom);
    const recorder = createRecorder({ meterProvider, tracerProvider: { getTracer: () => ({ startSpan }) } as never });
    const app = tracer.startSpan("app");
    context.with(trace.setSpan(context.active(), app), () => {
      recorder.onToolStart({ key: "outer", name: "outer" });
      recorder.onToolStart({ key: "inner", name: "inner", parentKey: "outer" });
    });
    recorder.onToolEnd("inner", "fine");
    expect(onlySpan().parentSpanContext?.spanId).toBe(app.spanContext().spanId);
    expect(lines.splice(0)).toEqual(["toolspan: startSpan failed; said once Error: ours"]);
  });

  it("a diag logger that throws as well", () => {
    const logger = { error: boom, warn: boom, info: boom, debug: boom, verbose: boom };
    diag.setLogger(logger, { suppressOverrideMessage: true });
    const { recorder, onlySpan } = watched({ isFailure: boom });
    recorder.onToolStart({ key: "r1", name: "t" });
    recorder.onToolEnd("r1", "fine");
    expect(verdict(onlySpan())).toEqual(succeeded);
  });

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
