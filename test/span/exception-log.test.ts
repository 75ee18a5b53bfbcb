/** The API here (1.9) has no logs yet; from 1.10 on it has. What is put in its place takes what a logs SDK would. */
import { type Context, trace } from "@opentelemetry/api";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { said } from "../support/said.ts";

interface LogRecord {
  readonly scope: readonly unknown[];
  readonly context: Context;
}

const { records } = vi.hoisted(() => ({ records: [] as LogRecord[] }));
vi.mock("@opentelemetry/api", async (original) => ({
  ...(await original<object>()),
  logs: {
    getLogger: (...scope: unknown[]) => ({ emit: (record: LogRecord) => records.push({ ...record, scope }) }),
  },
}));

said();
beforeEach(() => {
  records.length = 0;
  vi.resetModules();
});
afterEach(() => vi.unstubAllEnvs());

/** The span of a run that threw, of a recorder that was loaded with this API. */
async function spanOfThrown(signals: string) {
  vi.stubEnv("OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN", signals);
  const { watched } = await import("../support/watched.ts");
  const { recorder, onlySpan } = watched();
  recorder.onToolStart({ key: "r1", name: "t" });
  recorder.onToolError("r1", new RangeError("no Bearer abcdef123456"));
  return onlySpan();
}

it.each([
  ["logs", 1, 0],
  ["logs/dup", 1, 1],
  ["", 0, 1],
])("OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN=%j: %i log records, %i span events", async (signals, logged, events) => {
  const span = await spanOfThrown(signals);
  expect(records).toHaveLength(logged);
  expect(span.events).toHaveLength(events);
});

it("the record has the convention's name and severity, the exception, and the span's context", async () => {
  const span = await spanOfThrown("logs");
  const { context, ...record } = records[0]!;
  expect(record).toEqual({
    scope: ["toolspan", "0.1.0"],
    eventName: "gen_ai.execute_tool.exception",
    severityNumber: 13,
    severityText: "WARN",
    attributes: { "exception.type": "RangeError", "exception.message": "no Bearer ***" },
  });
  expect(trace.getSpanContext(context)).toEqual(span.spanContext());
});
