/** What collector.yaml counts of other tracers' spans, and that a fault in its order is seen. */
import { describe, expect, it } from "vitest";
import { isToolSpan, readRecordings } from "./support/recordings.ts";
import { spansOf } from "./support/otlp.ts";
import type { SpanCount } from "./support/span-counts.ts";
import { countSpans } from "./support/span-counts.ts";

const all = ["python", "js"].flatMap((folder) => readRecordings(`test/stack/recordings/${folder}`).recordings);
/** Tracers that wrap a tool's call; an MCP client's span of the same call is not counted beside it. */
const ofTools = all.filter(({ tracer }) => !tracer.includes("mcp"));
const hiding = all.filter(({ tracer }) => tracer === "openinference-langchain-js");

const sum = (counts: readonly SpanCount[], isMeant: (labels: SpanCount["labels"]) => boolean): number =>
  counts.filter(({ labels }) => isMeant(labels)).reduce((total, { value }) => total + value, 0);

/** As recording-rules.yml picks them. */
const isCall = ({ gen_ai_operation_name: operation, span_kind: kind }: SpanCount["labels"]): boolean =>
  operation === "execute_tool" && kind === "SPAN_KIND_INTERNAL";
const isHidden = (labels: SpanCount["labels"]): boolean =>
  isCall(labels) && labels["status_code"] === "STATUS_CODE_ERROR" && labels["toolspan_repaired"] === "true";

it("every tracer's tool spans are counted as calls, each once and by its tool's name", async () => {
  const counts = await countSpans(ofTools);
  const made = ofTools.map(({ tracer, request }) => [tracer, spansOf(request).filter(isToolSpan).length]);
  const found = ofTools.map(({ tracer }) => [
    tracer,
    sum(counts, (labels) => isCall(labels) && labels["service_name"] === tracer),
  ]);
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(made));
  expect(sum(counts, (labels) => isCall(labels) && !labels["gen_ai_tool_name"])).toBe(0);
});

/** Calls of this recording that failed, came in as successes, and tell it in their result. */
const HIDDEN = 9;

it("failures that a tracer hid are counted as failures, and as hidden", async () => {
  expect(sum(await countSpans(hiding), isHidden)).toBe(HIDDEN);
});

const pipelines = (traces: object): object => ({ service: { pipelines: traces } });

describe("a fault in the order is seen: hidden failures are not counted", () => {
  it.each<[string, object]>([
    ["the repair is out", pipelines({ "traces/in": { processors: ["memory_limiter", "transform/tool_names"] } })],
    [
      "the repair comes after the counting",
      pipelines({
        "traces/in": { processors: ["memory_limiter", "transform/tool_names"] },
        "traces/out": { processors: ["transform/tool_status"] },
      }),
    ],
    ["the names are out", pipelines({ "traces/in": { processors: ["memory_limiter", "transform/tool_status"] } })],
    ["the mark is no label", { connectors: { span_metrics: { calls_dimensions: [{ name: "error.type" }] } } }],
  ])("%s", async (_, override) => {
    expect(sum(await countSpans(hiding, override), isHidden)).toBe(0);
  });
});
