/** Beside an instrumentation of the model's provider, which draws a `chat` span as well: one span a model call. */
import type { Tracer } from "@opentelemetry/api";
import { SpanKind } from "@opentelemetry/api";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { beforeAll, expect, it } from "vitest";
import { ToolspanHandler } from "../../../src/adapters/langchain.ts";
import type { RecorderOptions } from "../../../src/index.ts";
import { agentOf, ask, asks, done, makeTool, ScriptedModel, toolCall } from "../../support/agent.ts";
import { traced, useContextManager } from "../../support/traced.ts";

beforeAll(useContextManager);

/** Its client is instrumented: each request to the provider has a span, as the instrumentations of providers make it. */
class InstrumentedModel extends ScriptedModel {
  private readonly tracer: Tracer;
  private readonly error: Error | undefined;

  constructor(tracer: Tracer, error?: Error) {
    super([asks(toolCall("t")), done]);
    this.tracer = tracer;
    this.error = error;
  }

  override async _generate(...args: Parameters<ScriptedModel["_generate"]>) {
    const attributes = { "gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai" };
    return this.tracer.startActiveSpan("chat gpt-5", { kind: SpanKind.CLIENT, attributes }, async (span) => {
      try {
        if (this.error) throw this.error;
        return await super._generate(...args);
      } finally {
        span.end();
      }
    });
  }
}

async function lived(spans: NonNullable<RecorderOptions["spans"]>, error?: Error) {
  const test = traced();
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2 ** 30 });
  const { tracerProvider } = test;
  const handler = new ToolspanHandler({
    tracerProvider,
    meterProvider: new MeterProvider({ readers: [reader] }),
    spans,
  });
  const tracer = tracerProvider.getTracer("app");
  const model = new InstrumentedModel(tracerProvider.getTracer("openai"), error);
  await tracer.startActiveSpan("request", async (request) => {
    await agentOf([makeTool(() => "fine")], { model })
      .invoke(ask, { callbacks: [handler] })
      .catch(() => undefined);
    request.end();
  });
  await reader.forceFlush();
  const metrics = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics: all }) => all));
  const inferences = metrics.find(({ descriptor }) => descriptor.name === "gen_ai.invoke_agent.inference_calls");
  return {
    spans: test.allSpans(),
    inferences: (inferences?.dataPoints[0]?.value as { sum?: number } | undefined)?.sum,
  };
}

it.each([
  ["agent", ["chat gpt-5", "chat", "execute_tool t", "chat gpt-5", "chat", "invoke_agent", "request"], 2],
  ["no-chat", ["chat gpt-5", "execute_tool t", "chat gpt-5", "invoke_agent", "request"], 2],
  ["tools", ["chat gpt-5", "execute_tool t", "chat gpt-5", "request"], undefined],
] as const)("spans %s: what is drawn, and the model calls counted on the agent", async (option, names, inferences) => {
  const seen = await lived(option);
  expect(seen.spans.map(({ name }) => name)).toEqual(names);
  expect(seen.inferences).toBe(inferences);
  expect(new Set(seen.spans.map((span) => span.spanContext().traceId)).size).toBe(1);
});

it("a model that fails marks the agent, which tells the error that no chat span of ours has told", async () => {
  const { spans } = await lived("no-chat", new RangeError("quota"));
  const agent = spans.find(({ name }) => name === "invoke_agent")!;
  expect(agent.attributes["error.type"]).toBe("RangeError");
  expect(agent.events.map(({ name }) => name)).toEqual(["exception"]);
});
