/** What nobody's payload may do to the batch it comes in. */
import { describe, expect, it } from "vitest";
import { COMMAND_TRACERS, commandSpan } from "./support/commands.ts";
import type { TraceRequest } from "./support/otlp.ts";
import { spansOf } from "./support/otlp.ts";
import { isToolSpan } from "./support/recordings.ts";
import { startRepair } from "./support/repair.ts";

const failed = { type: "tool", content: "quota exceeded", id: "call_1", status: "error" } as const;

/** The attribute values under which each recorded span is sent again; each has the words that the repair looks for. */
const payloads: readonly (readonly [string, object])[] = [
  ["cut", { stringValue: '{"type": "tool", "data": {"status": "error", "content": "long te' }],
  ["cut, yet with an end", { stringValue: '{"output": {"status": "error", "content": "}' }],
  ["not JSON", { stringValue: '{status: "status": "error"}' }],
  ["a number JSON has not", { stringValue: '{"output": {"status": "error", "artifact": NaN}}' }],
  ["a list of anything", { stringValue: '[1, "status", null, ["status"], {"status": "error"}, true]' }],
  ["a list of one number", { stringValue: '[1, {"status": "error"}]' }],
  [
    "a Command with a list of numbers",
    { stringValue: '{"goto": [], "update": {"messages": [1, {"status": "error"}]}}' },
  ],
  ["a Command with no list", { stringValue: '{"output": {"goto": [], "update": [[], "status"]}, "status": "error"}' }],
  ["a Command with a text", { stringValue: '{"goto": [], "update": "messages", "status": "error"}' }],
  ["a Command with pairs of numbers", { stringValue: '{"goto": [], "update": [[1, 2]], "status": "error"}' }],
  ["deep", { stringValue: `{"status": "error", "a": ${"[".repeat(20_000)}${"]".repeat(20_000)}}` }],
  [
    "long",
    { stringValue: JSON.stringify({ status: "error", data: Array.from({ length: 200_000 }, (_, index) => index) }) },
  ],
  [
    "a long history",
    {
      stringValue: JSON.stringify({
        goto: [],
        update: { messages: Array.from({ length: 20_000 }, () => ({ type: "tool", status: "error" })) },
      }),
    },
  ],
  [
    "keys with dots",
    {
      stringValue:
        '{"goto": [], "update": {"messages": [{"0.status": "error", "0.tool_call_id": "call_1", "status": "error"}]}}',
    },
  ],
  ["keys twice", { stringValue: '{"status": "error", "status": "error", "type": "tool", "type": "tool"}' }],
  ["half a character", { stringValue: '{"status": "error", "content": "\ud800"}' }],
  ["a number", { intValue: "7" }],
  ["a yes", { boolValue: true }],
  ["nothing", {}],
  ["bytes", { bytesValue: "c3RhdHVz" }],
  ["a list", { arrayValue: { values: [{ stringValue: '"status": "error"' }] } }],
  ["a map", { kvlistValue: { values: [{ key: "status", value: { stringValue: "error" } }] } }],
];

describe.each(COMMAND_TRACERS)("beside a payload of $tracer that cannot be read", (tracer) => {
  it("every span gets through, and the others are set right", async () => {
    const { collector, pass } = await startRepair();
    const good = commandSpan(tracer, [failed]);
    const bad = payloads.map(([, value]) => withResult(good, tracer.results, value));
    // One batch: the good one first, in the middle and last.
    const request = { resourceSpans: [good, ...bad, good, ...bad, good].flatMap(({ resourceSpans }) => resourceSpans) };
    const [after = []] = await pass([request]);
    expect(after).toHaveLength(spansOf(request).length);
    const marked = after.filter((span) => isToolSpan(span) && span.attributes["toolspan.repaired"] === true);
    expect(marked).toHaveLength(3);
    expect(collector.log()).not.toMatch(/panic|dropp|\terror\t/i);
  });
});

describe("the description", () => {
  const [openinference] = COMMAND_TRACERS;
  if (openinference === undefined) throw new Error("no tracer");
  const alone = (content: string): TraceRequest => {
    const value = {
      stringValue: JSON.stringify({
        type: "tool",
        data: { type: "tool", tool_call_id: "call_1", status: "error", content },
      }),
    };
    return withResult(commandSpan(openinference, [failed]), openinference.results, value);
  };

  it("is a fixed sentence", async () => {
    const { pass } = await startRepair();
    const [spans = []] = await pass([alone("secret of the tool")]);
    expect(spans.find(isToolSpan)?.description).toBe("tool call failed");
  });

  it("is the tool's text if the user wants it, cut between characters", async () => {
    const { pass } = await startRepair({ TOOLSPAN_TOOL_TEXT: "on" });
    const [short = [], long = []] = await pass([alone("quota\nexceeded"), alone("é".repeat(1000))]);
    expect(short.find(isToolSpan)?.description).toBe("quota\nexceeded");
    expect(long.find(isToolSpan)?.description).toBe("é".repeat(256));
  });
});

function withResult(request: TraceRequest, keys: readonly string[], value: object): TraceRequest {
  return JSON.parse(JSON.stringify(request), (_, part: unknown) =>
    typeof part === "object" && part !== null && "key" in part && keys.includes(String(part.key))
      ? { ...part, value }
      : part,
  ) as TraceRequest;
}
