import { afterEach, beforeAll, expect, it } from "vitest";
import { instrumentLangChain, ToolspanHandler } from "../../../src/adapters/langchain.ts";
import { loadFrameworks } from "../../../src/cli/demo/frameworks.ts";
import { scenarios } from "../../../src/cli/demo/scenarios.ts";
import { runTravelDesk } from "../../../src/cli/demo/travel-desk.ts";
import { traced, useContextManager } from "../../support/traced.ts";

beforeAll(useContextManager);
let unwrap: () => void = () => {};
afterEach(() => unwrap());

it.each([
  ["the wrap beside the handler", true, { "error tool_error": 4, "error invalid_arguments": 1 }],
  ["the handler alone, which sees less of refused arguments", false, { "error tool_error": 5 }],
])("with no other tracer comes to the same verdicts: %s", async (_title, isWrapped, ofReturned) => {
  const { tracerProvider, meterProvider, spans, failures } = traced();
  const providers = { tracerProvider, meterProvider };
  const frameworks = await loadFrameworks();
  if (isWrapped) unwrap = instrumentLangChain(frameworks.toolsModule, providers);
  const tracer = tracerProvider.getTracer("travel-desk");
  await runTravelDesk(frameworks, scenarios, tracer, new ToolspanHandler(providers));
  const counts: Record<string, number> = {};
  for (const { attributes } of spans().filter((span) => "toolspan.outcome" in span.attributes)) {
    const outcome = [attributes["toolspan.outcome"], attributes["error.type"]].filter(Boolean).join(" ");
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  expect(counts).toEqual({
    ok: 12,
    ...ofReturned,
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
