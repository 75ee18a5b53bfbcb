import { expect, it } from "vitest";
import { ToolspanHandler } from "../../../src/adapters/langchain.ts";
import { loadFrameworks } from "../../../src/cli/demo/frameworks.ts";
import { scenarios } from "../../../src/cli/demo/scenarios.ts";
import { runTravelDesk } from "../../../src/cli/demo/travel-desk.ts";
import { traced, useContextManager } from "../../support/traced.ts";

it("comes to the same verdicts with no other tracer beside it", async () => {
  useContextManager();
  const { tracerProvider, meterProvider, spans, failures } = traced();
  const handler = new ToolspanHandler({ tracerProvider, meterProvider });
  await runTravelDesk(await loadFrameworks(), scenarios, tracerProvider.getTracer("travel-desk"), handler);
  const counts: Record<string, number> = {};
  for (const { attributes } of spans().filter((span) => "toolspan.outcome" in span.attributes)) {
    const outcome = [attributes["toolspan.outcome"], attributes["error.type"]].filter(Boolean).join(" ");
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  expect(counts).toEqual({
    ok: 12,
    "error tool_error": 5,
    "error RateFeedError": 1,
    "error MailError": 1,
    "error unknown_tool": 1,
    "error timeout": 1,
    "error ToolException": 1,
    interrupted: 1,
    cancelled: 1,
    denied: 1,
  });
  expect(await failures()).toBe(10);
});
