/** What is compared: one empty LangChain tool, called with each way of watching it. */
import { context } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { AlwaysOffSampler, BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { tool } from "@langchain/core/tools";
import { z } from "zod";
import { instrumentTool, ToolspanHandler } from "../dist/adapters/langchain.js";

/** As in an application with an SDK; LangChain reads it too, so it is there for every subject. */
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());

const createTool = () =>
  tool(async () => "x", {
    name: "empty",
    description: "Does nothing",
    schema: z.object({ query: z.string() }),
  });
const emptyTool = createTool();
const toolCall = { type: "tool_call", name: "empty", id: "call_1", args: { query: "x" } };

/** The least an awaited LangChain handler can cost. */
class EmptyHandler extends BaseCallbackHandler {
  name = "empty";
  awaitHandlers = true;
  handleToolStart() {}
  handleToolEnd() {}
  handleToolError() {}
}

/** The least a tracer made of callbacks can do; its spans say nothing. */
export class BareSpanHandler extends BaseCallbackHandler {
  name = "bare-span";
  awaitHandlers = true;
  spans = new Map();

  constructor(tracer) {
    super();
    this.tracer = tracer;
  }

  start(name, runId) {
    this.spans.set(runId, this.tracer.startSpan(name));
  }

  end(runId) {
    this.spans.get(runId)?.end();
    this.spans.delete(runId);
  }

  handleToolStart(_tool, _input, runId) {
    this.start("execute_tool empty", runId);
  }

  handleToolEnd(_output, runId) {
    this.end(runId);
  }

  handleToolError(_error, runId) {
    this.end(runId);
  }
}

const exporter = {
  export: (_spans, done) => done({ code: 0 }),
  forceFlush: async () => {},
  shutdown: async () => {},
};

/** A queue that loses nothing, so that every span is paid for; each subject has a provider of its own. */
export function tracerProvider(options = {}) {
  const processor = new BatchSpanProcessor(exporter, { maxQueueSize: 1_000_000, maxExportBatchSize: 512 });
  return new NodeTracerProvider({ ...options, spanProcessors: [processor] });
}

export function meterProvider() {
  const reader = new PeriodicExportingMetricReader({
    exporter: new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE),
    exportIntervalMillis: 2 ** 30,
  });
  return new MeterProvider({ readers: [reader] });
}

/** @returns `call` runs the tool once; `flush` hands on what was recorded; `handler` is what watches. */
function subject(name, handler, provider) {
  const options = handler ? { callbacks: [handler] } : undefined;
  return {
    name,
    handler,
    call: () => emptyTool.invoke(toolCall, options),
    flush: async () => provider?.forceFlush(),
  };
}

function toolspan(name, provider) {
  const options = provider ? { tracerProvider: provider, meterProvider: meterProvider() } : {};
  return subject(name, new ToolspanHandler(options), provider);
}

/** A tool of its own, wrapped; with a handler too, or without. */
function wrapped(name, provider, isHandled) {
  const options = { tracerProvider: provider, meterProvider: meterProvider() };
  const handler = isHandled ? new ToolspanHandler(options) : undefined;
  const own = createTool();
  instrumentTool(own, options);
  const config = handler ? { callbacks: [handler] } : undefined;
  return { ...subject(name, handler, provider), call: () => own.invoke(toolCall, config) };
}

/** The least that whoever stands round the call can do: a span, active inside. */
function inline(name, provider) {
  const tracer = provider.getTracer("inline");
  const call = () =>
    tracer.startActiveSpan("execute_tool empty", async (span) => {
      try {
        return await emptyTool.invoke(toolCall);
      } finally {
        span.end();
      }
    });
  return { ...subject(name, undefined, provider), call };
}

export function createSubjects() {
  const [bareProvider, offProvider] = [tracerProvider(), tracerProvider({ sampler: new AlwaysOffSampler() })];
  return {
    none: subject("no callbacks"),
    empty: subject("empty handler", new EmptyHandler()),
    bare: subject("bare-span handler", new BareSpanHandler(bareProvider.getTracer("bare")), bareProvider),
    bareOff: subject("bare-span, sampled out", new BareSpanHandler(offProvider.getTracer("bare")), offProvider),
    recording: toolspan("ToolspanHandler, recording", tracerProvider()),
    sampledOut: toolspan("ToolspanHandler, sampled out", tracerProvider({ sampler: new AlwaysOffSampler() })),
    noSdk: toolspan("ToolspanHandler, no SDK"),
    inline: inline("bare span round the call", tracerProvider()),
    wrap: wrapped("wrap, recording", tracerProvider(), false),
    both: wrapped("wrap and handler, recording", tracerProvider(), true),
  };
}
