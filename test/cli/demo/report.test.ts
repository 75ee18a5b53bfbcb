import { describe, expect, it } from "vitest";
import { buildReport } from "../../../src/cli/demo/report.ts";
import type { ReceivedPoint, ReceivedSpan } from "../../../src/cli/receiver/receiver.ts";

let ids = 0;

function span(fields: Partial<ReceivedSpan>): ReceivedSpan {
  ids += 1;
  return {
    traceId: "t",
    spanId: `s${ids}`,
    parentSpanId: undefined,
    name: "request",
    kind: 1,
    startTimeUnixNano: BigInt(ids),
    endTimeUnixNano: BigInt(ids + 1),
    attributes: {},
    status: { code: 0, message: "" },
    events: [],
    links: [],
    scope: { name: "", version: "" },
    resource: {},
    ...fields,
  };
}

function toolSpan(tool: string, outcome: string, errorType?: string, fields: Partial<ReceivedSpan> = {}): ReceivedSpan {
  return span({
    name: `execute_tool ${tool}`,
    attributes: {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": tool,
      "toolspan.outcome": outcome,
      ...(errorType !== undefined && { "error.type": errorType }),
    },
    status: { code: errorType === undefined ? 0 : 2, message: "" },
    ...fields,
  });
}

function peerSpan(tool: string, code: 1 | 2, fields: Partial<ReceivedSpan> = {}): ReceivedSpan {
  return span({
    name: tool,
    attributes: { "openinference.span.kind": "TOOL" },
    status: { code, message: "" },
    ...fields,
  });
}

function point(
  tool: string,
  outcome: string,
  count: number,
  { errorType, ...fields }: Partial<ReceivedPoint> & { readonly errorType?: string } = {},
): ReceivedPoint {
  return {
    metric: "gen_ai.execute_tool.duration",
    unit: "s",
    kind: "histogram",
    temporality: "cumulative",
    attributes: {
      "gen_ai.tool.name": tool,
      "toolspan.outcome": outcome,
      ...(errorType !== undefined && { "error.type": errorType }),
    },
    resource: {},
    scope: { name: "", version: "" },
    startTimeUnixNano: 0n,
    timeUnixNano: 1n,
    count,
    ...fields,
  };
}

const peers = [peerSpan("another", 1)];

describe("the counts", () => {
  it("take a cumulative series' newest point, and add a delta series' points up", () => {
    const spans = ["ok", "ok", "ok"].map((outcome) => toolSpan("a", outcome));
    const cumulative = [point("a", "ok", 1), point("a", "ok", 3)];
    const delta = [1, 2].map((count) => point("a", "ok", count, { temporality: "delta" }));
    for (const points of [cumulative, delta]) {
      const { tools, faults } = buildReport({ spans, points }, peers);
      expect(faults).toEqual([]);
      expect(tools).toMatchObject([{ tool: "a", calls: 3, failed: 0 }]);
    }
  });

  it("read no other metric", () => {
    const points = [point("a", "ok", 1), point("a", "ok", 7, { metric: "gen_ai.client.operation.duration" })];
    expect(buildReport({ spans: [toolSpan("a", "ok")], points }, peers).tools).toMatchObject([{ calls: 1 }]);
  });

  it.each([
    ["a run the histogram lacks", [toolSpan("a", "ok"), toolSpan("a", "ok")], [point("a", "ok", 1)]],
    ["a run the spans lack", [toolSpan("a", "ok")], [point("a", "ok", 1), point("b", "ok", 1)]],
    ["another verdict", [toolSpan("a", "error", "timeout")], [point("a", "ok", 1)]],
    ["another error.type", [toolSpan("a", "error", "x")], [point("a", "error", 1, { errorType: "y" })]],
    ["another stop", [toolSpan("a", "cancelled")], [point("a", "denied", 1)]],
  ])("are a fault where spans and histogram differ by %s", (_, spans, points) => {
    expect(buildReport({ spans, points }, peers).faults).toEqual([
      expect.stringMatching(/^[ab]: the histogram has .*, the spans have .*$/),
    ]);
  });

  it("are a fault where nothing came", () => {
    expect(buildReport({ spans: [], points: [] }, []).faults).toEqual([
      "the receiver got no tool span",
      "the other tracer sent no span",
    ]);
  });
});

describe("the other tracer's verdicts", () => {
  it("are those of the same trace, tool and turn", () => {
    const failed = toolSpan("a", "error", "timeout");
    const stopped = toolSpan("a", "cancelled");
    const elsewhere = toolSpan("a", "error", "timeout", { traceId: "u" });
    const unseen = toolSpan("b", "ok");
    const spans = [failed, stopped, elsewhere, unseen];
    const points = [point("a", "error", 2, { errorType: "timeout" }), point("a", "cancelled", 1), point("b", "ok", 1)];
    const theirs = [
      peerSpan("a", 2, { traceId: "u" }),
      peerSpan("a", 1),
      peerSpan("a", 2),
      span({ name: "b", attributes: { "openinference.span.kind": "CHAIN" } }),
    ];
    const { runs, tools, faults } = buildReport({ spans, points }, theirs);
    expect(faults).toEqual([]);
    expect([...runs].map(([id, { peerStatus, peerFault }]) => [id, peerStatus, peerFault])).toEqual([
      [failed.spanId, "OK", "missed"],
      [stopped.spanId, "ERROR", "false alarm"],
      [elsewhere.spanId, "ERROR", undefined],
      [unseen.spanId, undefined, undefined],
    ]);
    expect(tools.map(({ peer }) => peer)).toEqual([
      { calls: 3, failed: 2, missed: 1, falseAlarms: 1 },
      { calls: 0, failed: 0, missed: 0, falseAlarms: 0 },
    ]);
  });
});

it("keeps spans whose parent did not arrive, as roots", () => {
  const root = span({ name: "root" });
  const child = toolSpan("a", "ok", undefined, { parentSpanId: root.spanId });
  const inner = toolSpan("b", "ok", undefined, { parentSpanId: child.spanId });
  const orphan = toolSpan("c", "ok", undefined, { parentSpanId: "lost" });
  const { traces } = buildReport({ spans: [orphan, inner, child, root], points: [] }, []);
  expect(traces).toEqual([
    { span: root, children: [{ span: child, children: [{ span: inner, children: [] }] }] },
    { span: orphan, children: [] },
  ]);
});
