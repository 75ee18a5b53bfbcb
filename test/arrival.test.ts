/** Counts arrive: the failures a test makes, found by number in what an OTLP receiver got as spans and as the histogram. */
import { ToolMessage } from "@langchain/core/messages";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import {
  BatchSpanProcessor,
  NodeTracerProvider,
  type Sampler,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace-node";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ToolspanHandler } from "../src/adapters/langchain.ts";
import { type Receiver, startReceiver } from "../src/cli/receiver/receiver.ts";
import type { RecorderOptions } from "../src/index.ts";
import { agentOf, answer, ask, asks, done, fails, makeTool, toolCall } from "./support/agent.ts";

let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

/** A handler whose providers export over OTLP/HTTP to the receiver. */
function exporting(options: RecorderOptions = {}, sampler?: Sampler) {
  const tracerProvider = new NodeTracerProvider({
    ...(sampler ? { sampler } : {}),
    spanProcessors: [
      new BatchSpanProcessor(new OTLPTraceExporter({ url: `${receiver.endpoint}/v1/traces` }), {
        maxQueueSize: 10_000,
      }),
    ],
  });
  const exporter = new OTLPMetricExporter({ url: `${receiver.endpoint}/v1/metrics` });
  const meterProvider = new MeterProvider({
    readers: [new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2 ** 30 })],
  });
  const handler = new ToolspanHandler({ tracerProvider, meterProvider, ...options });
  const flush = async (): Promise<void> => {
    await tracerProvider.shutdown();
    await meterProvider.shutdown();
  };
  return { handler, config: { callbacks: [handler] }, flush };
}

/** Calls by tool and `error.type`, from the histogram. */
function counted(): Record<string, number | undefined> {
  const points = receiver.points.filter(({ metric }) => metric === "gen_ai.execute_tool.duration");
  return Object.fromEntries(
    points.map(({ attributes, count }) => [
      `${String(attributes["gen_ai.tool.name"])} ${String(attributes["error.type"] ?? "ok")}`,
      count,
    ]),
  );
}

/** The same from the spans. */
function seen(): Record<string, number> {
  const tally: Record<string, number> = {};
  for (const { attributes, status } of receiver.spans) {
    if (attributes["gen_ai.operation.name"] !== "execute_tool") continue;
    expect(status.code === 2).toBe("error.type" in attributes);
    const key = `${String(attributes["gen_ai.tool.name"])} ${String(attributes["error.type"] ?? "ok")}`;
    tally[key] = (tally[key] ?? 0) + 1;
  }
  return tally;
}

describe("failures made are failures counted", () => {
  it("by a real agent, in spans and in the histogram alike", async () => {
    const { config, flush } = exporting();
    const tools = [
      makeTool(() => "fine", { name: "good" }),
      makeTool((_, call) => answer("error", call), { name: "returns" }),
      makeTool(
        () => {
          throw new TypeError("no");
        },
        { name: "throws" },
      ),
    ];
    const turn = asks(
      toolCall("good", { q: "x" }, "c1"),
      toolCall("returns", { q: "x" }, "c2"),
      toolCall("throws", { q: "x" }, "c3"),
    );
    for (let run = 0; run < 3; run++)
      await agentOf(tools, {}, [turn, asks(toolCall("returns", { q: "y" }, "c4")), done]).invoke(ask, config);
    await flush();
    const wanted = { "good ok": 3, "returns tool_error": 6, "throws TypeError": 3 };
    expect(seen()).toEqual(wanted);
    expect(counted()).toEqual(wanted);
  });

  it("at 1 % head sampling the histogram is exact", async () => {
    const { handler, flush } = exporting({}, new TraceIdRatioBasedSampler(0.01));
    const failure = new ToolMessage({ content: "no", tool_call_id: "c", status: "error" });
    for (let run = 0; run < 2000; run++) {
      handler.handleToolStart({}, "{}", `r${run}`, undefined, [], {}, "t");
      handler.handleToolEnd(run % 10 === 0 ? failure : "fine", `r${run}`);
    }
    await flush();
    expect(counted()).toEqual({ "t ok": 1800, "t tool_error": 200 });
    expect(receiver.spans.length).toBeLessThan(200);
  });

  it("no count without a run: a refused call is not counted twice by its agent", async () => {
    const { config, flush } = exporting();
    await agentOf([fails()], {}, [asks(toolCall("t")), done]).invoke(ask, config);
    await flush();
    expect(counted()).toEqual({ "t Error": 1 });
  });

  it("R58: a result of 5 MB among 50 others: all of them arrive, its text cut between characters", async () => {
    const { config, flush } = exporting({ captureContent: true });
    const big = makeTool(() => "é😀".repeat(1_000_000), { name: "big" });
    await big.invoke(toolCall("big"), config);
    for (let run = 0; run < 50; run++) await makeTool(() => "fine").invoke(toolCall("t"), config);
    await flush();
    expect(receiver.spans).toHaveLength(51);
    const json = String(
      receiver.spans.find(({ name }) => name === "execute_tool big")!.attributes["gen_ai.tool.call.result"],
    );
    expect(Buffer.byteLength(json)).toBeLessThanOrEqual(8192);
    expect(JSON.parse(json)).toMatch(/^(é😀)+é?…$/u);
  });
});
