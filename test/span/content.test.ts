import { ToolMessage } from "@langchain/core/messages";
import type { TracerProvider } from "@opentelemetry/api";
import { describe, expect, it } from "vitest";
import type { RecorderOptions } from "../../src/index.ts";
import { said } from "../support/said.ts";
import { failed, succeeded, traced, verdict } from "../support/traced.ts";
import { watched } from "../support/watched.ts";

said();

/** The span of one run with these options. */
function spanOf(options: RecorderOptions, args: unknown, end: { value?: unknown; error?: unknown }) {
  const { recorder, onlySpan } = watched(options);
  recorder.onToolStart({ key: "r1", name: "t", callId: "c1", args });
  if ("error" in end) recorder.onToolError("r1", end.error);
  else recorder.onToolEnd("r1", end.value);
  return onlySpan();
}
const contentOf = (options: RecorderOptions, args: unknown, value: unknown) => {
  const { attributes } = spanOf(options, args, { value });
  return [attributes["gen_ai.tool.call.arguments"], attributes["gen_ai.tool.call.result"]];
};
const all: RecorderOptions = { captureContent: true };
const toolMessage = (content: string, status: "error" | "success") =>
  new ToolMessage({ content, tool_call_id: "c1", status });

describe("content", () => {
  it("is not written by default, in no attribute and no event", () => {
    const span = spanOf({}, { password: "p", q: "needle" }, { value: toolMessage("secret needle", "success") });
    expect(JSON.stringify([span.attributes, span.events, span.status])).not.toMatch(/needle|secret|"p"/);
  });

  it.each([
    ["objects", { q: "x" }, { n: 1 }, '{"q":"x"}', '{"n":1}'],
    ["arguments that are JSON text", '{"q":"x"}', "fine", '{"q":"x"}', '"fine"'],
    ["text that is not JSON", "{q", "fine", '"{q"', '"fine"'],
    ["null and 0", null, 0, "null", "0"],
    ["a text that is a number", "5", "fine", '"5"', '"fine"'],
    ["a list that holds JSON text", ["[1]"], "fine", '["[1]"]', '"fine"'],
    ["a list of one number", [5], "fine", "[5]", '"fine"'],
    ["a result that is JSON text", {}, '{"q":"x"}', "{}", '"{\\"q\\":\\"x\\"}"'],
    ["a text longer than 1,024", "x".repeat(1500), "y".repeat(1500), `"${"x".repeat(1500)}"`, `"${"y".repeat(1500)}"`],
    ["undefined", undefined, undefined, undefined, undefined],
    ["a tool message's content", {}, toolMessage("text", "success"), "{}", '"text"'],
    [
      "secrets by key, kept where they are none",
      { tavily_api_key: "tvly-x", note: "ok" },
      { token: "a", n: 1 },
      '{"tavily_api_key":"***","note":"ok"}',
      '{"token":"***","n":1}',
    ],
    ["secrets by pattern", ["Bearer abcdef123456"], "Bearer abcdef123456", '["Bearer ***"]', '"Bearer ***"'],
    [
      "the arguments' secrets in the result",
      { password: "hunter2" },
      ["got hunter2"],
      '{"password":"***"}',
      '["got ***"]',
    ],
  ])("opted in: %s", (_title, args, value, wantedArguments, wantedResult) => {
    expect(contentOf(all, args, value)).toEqual([wantedArguments, wantedResult]);
  });

  it("a text as long as its limit allows is written whole", () => {
    const options = { captureContent: true, limits: { contentBytes: 2000 } };
    expect(contentOf(options, "x".repeat(1998), undefined)[0]).toHaveLength(2000);
  });

  it("redact is not asked about arguments there are none of, nor about what was not returned", () => {
    const asked: unknown[] = [];
    const redact = (_value: unknown, where: string) => (asked.push(where), "mine");
    expect(contentOf({ captureContent: true, redact }, undefined, "fine")).toEqual([undefined, '"mine"']);
    expect(asked).toEqual(["result"]);
  });

  it("what redact leaves out is not even written as undefined", () => {
    const test = traced();
    const written: unknown[] = [];
    const tracer = test.tracerProvider.getTracer("t");
    const tracerProvider = {
      getTracer: () => ({
        startSpan: (...args: Parameters<typeof tracer.startSpan>) => {
          const span = tracer.startSpan(...args);
          const setAttribute = span.setAttribute.bind(span);
          return Object.assign(span, {
            setAttribute: (name: string, value: string) => (written.push([name, value]), setAttribute(name, value)),
          });
        },
      }),
    } as unknown as TracerProvider;
    const { recorder } = watched({ tracerProvider, captureContent: true, redact: () => undefined }, test);
    recorder.onToolStart({ key: "r1", name: "t", args: { q: 1 } });
    recorder.onToolEnd("r1", "fine");
    expect(written).toEqual([["toolspan.outcome", "ok"]]);
  });

  it("arguments and results can be chosen apart", () => {
    expect(contentOf({ captureContent: { arguments: true } }, 1, 2)).toEqual(["1", undefined]);
    expect(contentOf({ captureContent: { results: true } }, 1, 2)).toEqual([undefined, "2"]);
  });

  it("a result is written of successes only", () => {
    const span = spanOf(all, {}, { value: toolMessage("no", "error") });
    expect(span.attributes).not.toHaveProperty("gen_ai.tool.call.result");
    expect(verdict(span)).toEqual(failed("tool_error"));
  });

  it("is cut to the limit in bytes, still JSON, and nothing that was cut decides the status", () => {
    const value = toolMessage("é".repeat(3_000_000), "success");
    const span = spanOf({ captureContent: true, limits: { contentBytes: 100 } }, { q: "x".repeat(500) }, { value });
    const json = String(span.attributes["gen_ai.tool.call.result"]);
    expect(Buffer.byteLength(json)).toBeLessThanOrEqual(100);
    expect(JSON.parse(json)).toMatch(/^é+…$/);
    expect(Buffer.byteLength(String(span.attributes["gen_ai.tool.call.arguments"]))).toBeLessThanOrEqual(100);
    expect(verdict(span)).toEqual(succeeded);
  });

  it("a secret that stands across the cut is masked whole", () => {
    const args = { q: `${"x".repeat(80)} Bearer ${"a".repeat(500)}` };
    const json = String(
      spanOf({ captureContent: true, limits: { contentBytes: 110 } }, args, { value: 1 }).attributes[
        "gen_ai.tool.call.arguments"
      ],
    );
    expect(json).toContain("Bearer ***");
    expect(json).not.toContain("aa");
  });

  it("redact has the last word, and is told where", () => {
    const seen: unknown[] = [];
    const redact = (value: unknown, where: string) => {
      seen.push([value, where]);
      return where === "result" ? { kept: 1 } : undefined;
    };
    expect(contentOf({ captureContent: true, redact }, '{"q":1}', "fine")).toEqual([undefined, '{"kept":1}']);
    expect(seen).toEqual([
      [{ q: 1 }, "arguments"],
      ["fine", "result"],
    ]);
  });
});

describe("a failure's words", () => {
  const statusOf = (options: RecorderOptions, args: unknown, error: unknown) =>
    spanOf(options, args, { error }).status.message;

  it("are one line, masked, and cut to 256 characters", () => {
    const message = `failed\n with Bearer abcdef123456 ${"x".repeat(3000)}`;
    const status = statusOf({}, {}, new Error(message));
    expect(status).toMatch(/^failed with Bearer \*\*\* x+…$/);
    expect(status).toHaveLength(256);
    expect(statusOf({ limits: { messageLength: 10 } }, {}, new Error(message))).toBe("failed wi…");
  });

  it("are masked where they repeat a secret of the arguments, JSON text included", () => {
    expect(statusOf({}, '{"password":"hunter2"}', new Error("no hunter2"))).toBe("no ***");
    expect(statusOf({}, { password: "hunter2" }, new Error("no hunter2"))).toBe("no ***");
  });

  it.each([
    [
      'Error invoking tool \'t\' with kwargs {"q":"needle with error: x"} with error: Error: Received tool input did not match expected schema',
      "Error: Received tool input did not match expected schema",
    ],
    [
      'Tool response format is "content_and_artifact" but the output was not a two-tuple.\nResult: "needle"',
      'Tool response format is "content_and_artifact" but the output was not a two-tuple.',
    ],
    ["no tool 't' with kwargs needle", "no tool 't' with kwargs needle"],
  ])("hold no arguments and no result by way of a framework's message: %j", (message, status) => {
    expect(statusOf({}, {}, new Error(message))).toBe(status);
    expect(spanOf({}, {}, { value: toolMessage(message, "error") }).status.message).toBe(status);
  });

  it("of a returned failure are its content's", () => {
    const span = spanOf({}, {}, { value: toolMessage("File missing: a.txt", "error") });
    expect(span.status.message).toBe("File missing: a.txt");
  });

  it("are a fixed sentence where there are none", () => {
    expect(spanOf({}, {}, { value: { isError: true } }).status.message).toBe("tool call failed");
  });

  it("there are none: redact is not asked", () => {
    const span = spanOf({ redact: (text) => `seen ${String(text)}` }, {}, { value: { isError: true } });
    expect(span.status.message).toBe("tool call failed");
  });

  it("errorMessages off: a fixed sentence in the status and the event", () => {
    const span = spanOf({ errorMessages: "off" }, {}, { error: new Error("private") });
    expect(span.status.message).toBe("tool call failed");
    expect(span.events[0]!.attributes).toEqual({ "exception.type": "Error", "exception.message": "tool call failed" });
  });

  it("redact has the last word; what is no text is not written", () => {
    expect(statusOf({ redact: (text, where) => `${where}: ${String(text)}` }, {}, new Error("boom"))).toBe(
      "message: boom",
    );
    for (const answer of [undefined, "", 7])
      expect(statusOf({ redact: () => answer }, {}, new Error("boom"))).toBe("tool call failed");
  });

  it("errorMessages stack: the masked stack, bounded", () => {
    const error = new Error("no hunter2");
    error.stack += "x".repeat(20_000);
    const { events } = spanOf({ errorMessages: "stack" }, { password: "hunter2" }, { error });
    const stack = String(events[0]!.attributes!["exception.stacktrace"]);
    expect(stack).toMatch(/^Error: no \*\*\*\n {4}at /);
    expect(stack.length).toBeLessThanOrEqual(8192);
  });

  it("errorMessages stack, thrown without one", () => {
    const { events } = spanOf({ errorMessages: "stack" }, {}, { error: "text" });
    expect(events[0]!.attributes).not.toHaveProperty("exception.stacktrace");
  });
});

describe("OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN", () => {
  it("keeps the span event where the API has no logs", () => {
    process.env["OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN"] = "logs";
    try {
      expect(spanOf({}, {}, { error: new Error("boom") }).events).toHaveLength(1);
    } finally {
      delete process.env["OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN"];
    }
  });
});
