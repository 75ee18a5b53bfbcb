/** `LangChainInstrumentation` in the hands of OpenTelemetry's own `registerInstrumentations`. */
import * as tools from "@langchain/core/tools";
import { metrics, trace } from "@opentelemetry/api";
import { registerInstrumentations } from "@opentelemetry/instrumentation";
import { afterEach, expect, it } from "vitest";
import { LangChainInstrumentation } from "../../../src/adapters/langchain.ts";
import { makeTool } from "../../support/agent.ts";
import { traced } from "../../support/traced.ts";

let unload = (): void => {};
afterEach(() => {
  unload();
  trace.disable();
  metrics.disable();
});
const run = () => makeTool(() => "x").invoke({ q: "x" });

it("takes the providers it is given, and is switched off by the undo of all", async () => {
  const test = traced();
  const { tracerProvider, meterProvider } = test;
  const instrumentations = [new LangChainInstrumentation(tools)];
  unload = registerInstrumentations({ instrumentations, tracerProvider, meterProvider });
  await run();
  expect([test.onlySpan().name, await test.counts()]).toMatchObject(["execute_tool t", [{ count: 1 }]]);
  unload();
  await run();
  expect(test.spans()).toHaveLength(1);
});

it("waits to be switched on", async () => {
  const { tracerProvider, spans } = traced();
  const instrumentation = new LangChainInstrumentation(tools, { tracerProvider, enabled: false });
  await run();
  expect(spans()).toEqual([]);
  unload = registerInstrumentations({ instrumentations: [instrumentation], tracerProvider });
  await run();
  expect(spans()).toHaveLength(1);
});

it("finds the global providers also where they are registered after it", async () => {
  unload = registerInstrumentations({ instrumentations: [new LangChainInstrumentation(tools)] });
  const test = traced();
  trace.setGlobalTracerProvider(test.tracerProvider);
  metrics.setGlobalMeterProvider(test.meterProvider);
  await run();
  expect([test.onlySpan().name, await test.counts()]).toMatchObject(["execute_tool t", [{ count: 1 }]]);
});
