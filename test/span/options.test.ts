import { describe, expect, it } from "vitest";
import { ToolspanHandler } from "../../src/adapters/langchain.ts";
import { defaultRules } from "../../src/core/rules.ts";
import { createRecorder } from "../../src/index.ts";
import { resolveOptions, sameOptions } from "../../src/span/options.ts";

describe("a setting that cannot work throws at once, in one sentence that says what to do", () => {
  const known =
    "tracerProvider, meterProvider, captureContent, errorMessages, redact, isFailure, rules, errorOutcomes, successStatus, attributes, spans, limits";
  it.each([
    [{ traceProvider: {} }, `toolspan: unknown option "traceProvider"; known are ${known}`],
    [{ toString: 1 }, `toolspan: unknown option "toString"; known are ${known}`],
    [null, "toolspan: options must be an object, not null"],
    ["x", 'toolspan: options must be an object, not "x"'],
    [[], "toolspan: options must be an object, not a list"],
    [
      { tracerProvider: {} },
      'toolspan: option "tracerProvider" must have a method getTracer, as an OpenTelemetry provider has; got an object',
    ],
    [
      { tracerProvider: null },
      'toolspan: option "tracerProvider" must have a method getTracer, as an OpenTelemetry provider has; got null',
    ],
    [
      { meterProvider: 3 },
      'toolspan: option "meterProvider" must have a method getMeter, as an OpenTelemetry provider has; got 3',
    ],
    [{ captureContent: "yes" }, 'toolspan: in option "captureContent": options must be an object, not "yes"'],
    [
      { captureContent: { results: 1 } },
      'toolspan: in option "captureContent": option "results" must be true or false, not 1',
    ],
    [
      { captureContent: { arguments: "no" } },
      'toolspan: in option "captureContent": option "arguments" must be true or false, not "no"',
    ],
    [
      { captureContent: { prompts: true } },
      'toolspan: in option "captureContent": unknown option "prompts"; known are arguments, results, messages',
    ],
    [{ errorMessages: "raw" }, 'toolspan: option "errorMessages" must be "masked" or "off" or "stack", not "raw"'],
    [{ redact: "x" }, 'toolspan: option "redact" must be a function, not "x"'],
    [{ isFailure: true }, 'toolspan: option "isFailure" must be a function, not true'],
    [{ rules: () => 1 }, 'toolspan: option "rules" must be a list, not a function'],
    [{ rules: [() => 1, {}] }, 'toolspan: option "rules" must be a list whose items must be a function, not an object'],
    [{ errorOutcomes: "cancelled" }, 'toolspan: option "errorOutcomes" must be a list, not "cancelled"'],
    [
      { errorOutcomes: ["interrupted"] },
      'toolspan: option "errorOutcomes" must be a list whose items must be "cancelled" or "denied", not "interrupted"',
    ],
    [{ successStatus: "OK" }, 'toolspan: option "successStatus" must be "unset" or "ok", not "OK"'],
    [{ attributes: {} }, 'toolspan: option "attributes" must be a function, not an object'],
    [{ spans: "chat" }, 'toolspan: option "spans" must be "agent" or "no-chat" or "tools", not "chat"'],
    [{ limits: 5 }, 'toolspan: in option "limits": options must be an object, not 5'],
    [
      { limits: { contentBytes: -1 } },
      'toolspan: in option "limits": option "contentBytes" must be a whole number above 0, not -1',
    ],
    [
      { limits: { messageLength: 0 } },
      'toolspan: in option "limits": option "messageLength" must be a whole number above 0, not 0',
    ],
    [
      { limits: { openRuns: 1.5 } },
      'toolspan: in option "limits": option "openRuns" must be a whole number above 0, not 1.5',
    ],
    [
      { limits: { runTimeoutMs: "1" } },
      'toolspan: in option "limits": option "runTimeoutMs" must be a whole number above 0, not "1"',
    ],
    [
      { limits: { bytes: 1 } },
      'toolspan: in option "limits": unknown option "bytes"; known are contentBytes, messageLength, openRuns, runTimeoutMs',
    ],
  ])("%j", (options, message) => {
    for (const make of [() => createRecorder(options as never), () => new ToolspanHandler(options as never)]) {
      expect(make).toThrow(new TypeError(message));
    }
  });
});

describe("defaults", () => {
  it("are the design's", () => {
    const { given, guard, ...settings } = resolveOptions({}, undefined, {});
    expect(settings).toEqual({
      disabled: false,
      capture: { arguments: false, results: false, messages: false },
      errorMessages: "masked",
      rules: defaultRules,
      errorOutcomes: new Set(),
      successStatus: "unset",
      exceptionSignal: "events",
      drawn: ["agent", "chat"],
      settler: undefined,
      limits: { contentBytes: 8192, messageLength: 256, openRuns: 100_000, runTimeoutMs: 3_600_000 },
    });
    expect([given, guard]).toEqual([{}, expect.anything()]);
  });

  it("leave the built-in rules the very list that is known to read fields alone", () => {
    expect(resolveOptions({}, undefined, {}).rules).toBe(defaultRules);
  });

  it("hold for what is given as undefined, and beside what is given", () => {
    const { limits, successStatus } = resolveOptions({ successStatus: undefined as never, limits: { openRuns: 5 } });
    expect([limits.openRuns, limits.contentBytes, successStatus]).toEqual([5, 8192, "unset"]);
  });

  it("the user's rules come first, then the built-in ones", () => {
    const own = () => undefined;
    expect(resolveOptions({ rules: [own] }).rules).toEqual([own, ...defaultRules]);
  });
});

describe("content capture", () => {
  const captured = (options: object, variable?: string) =>
    resolveOptions(
      options,
      undefined,
      variable === undefined ? {} : { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: variable },
    ).capture;
  const [both, none] = [
    { arguments: true, results: true, messages: true },
    { arguments: false, results: false, messages: false },
  ];

  it.each([
    [{}, undefined, none],
    [{}, "true", both],
    [{}, " True ", both],
    [{}, "SPAN_ONLY", both],
    [{}, "span_and_event", both],
    [{}, "EVENT_ONLY", none],
    [{}, "NO_CONTENT", none],
    [{}, "false", none],
    [{}, "", none],
    [{ captureContent: false }, "true", none],
    [{ captureContent: true }, "false", both],
    [{ captureContent: { arguments: true } }, "true", { ...none, arguments: true }],
    [{ captureContent: { results: true } }, undefined, { ...none, results: true }],
  ])("%j with the variable %j", (options, variable, wanted) => {
    expect(captured(options, variable)).toEqual(wanted);
  });
});

describe("OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN", () => {
  it.each([
    [undefined, "events"],
    ["", "events"],
    ["http", "events"],
    ["logs", "logs"],
    ["http, LOGS", "logs"],
    ["logs/dup", "both"],
    ["logs,logs/dup", "both"],
  ])("%j", (variable, signal) => {
    expect(resolveOptions({}, undefined, { OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN: variable }).exceptionSignal).toBe(
      signal,
    );
  });
});

describe("sameOptions", () => {
  const rule = () => undefined;
  it.each([
    [{}, {}, true],
    [{ limits: { openRuns: 1 } }, { limits: { openRuns: 1 } }, true],
    [{ rules: [rule] }, {}, false],
    [{}, { limits: { openRuns: 1 } }, false],
    [{ errorOutcomes: ["denied"] }, { errorOutcomes: ["cancelled"] }, false],
    [{ isFailure: rule }, { isFailure: rule }, true],
    [{ isFailure: rule }, { isFailure: () => undefined }, false],
    [{ successStatus: "ok" }, {}, false],
    [{ tracerProvider: new (class P {})() }, { tracerProvider: new (class P {})() }, false],
  ])("%j and %j: %s", (one, other, same) => {
    expect(sameOptions(one as never, other as never)).toBe(same);
  });
});
