/** The recipe for tracers that keep no status: real langchain-azure-ai, its content recording off, through the real repair. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { programPath } from "./support/program.ts";
import { spansOf } from "./support/otlp.ts";
import { isToolSpan } from "./support/recordings.ts";
import { startRepair } from "./support/repair.ts";
import { until } from "./support/until.ts";

it("langchain-azure-ai with the recipe: handled failures are errors, without a word of their content", async () => {
  const { collector } = await startRepair();
  const { stdout } = await promisify(execFile)(programPath("python/bin/python"), ["example.py"], {
    cwd: "collector-config/recipes",
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.otlpHttp, PYTHONDONTWRITEBYTECODE: "1" },
  });
  // What the framework made of the calls, in their order; the Command answers an earlier one as well.
  expect(stdout.match(/^(success|error)/gm)).toEqual(["success", "error", "success", "error", "error"]);
  const spans = await until("the spans arrive", async () => {
    const ofTools = collector.written().flatMap(spansOf).filter(isToolSpan);
    return ofTools.length >= 4 && ofTools;
  });
  const told = spans.map(({ status, description, attributes }) => [
    attributes["gen_ai.tool.name"],
    status,
    attributes["error.type"],
    attributes["langchain.tool_message.status"],
    description,
  ]);
  expect(told.sort()).toEqual([
    ["pay", "ERROR", "ValueError", undefined, "no such city"],
    ["reserve", "ERROR", "tool_error", "error", "tool call failed"],
    ["search", "ERROR", "tool_error", "error", "tool call failed"],
    ["weather", "OK", undefined, "success", ""],
  ]);
  expect(JSON.stringify(spans)).not.toMatch(/backend is down|quota exceeded|sunny/);
});
