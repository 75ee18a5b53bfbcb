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

function toolSpan(
  tool: string,
  outcome: string,
  errorType?: string,
  { attributes, ...fields }: Partial<ReceivedSpan> = {},
): ReceivedSpan {
  return span({
    name: `execute_tool ${tool}`,
    attributes: {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": tool,
      "toolspan.outcome": outcome,
      ...(errorType !== undefined && { "error.type": errorType }),
      ...attributes,
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
  { errorType, attributes, ...fields }: Partial<ReceivedPoint> & { readonly errorType?: string } = {},
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
      ...attributes,
    },
    resource: {},
    scope: { name: "", version: "" },
    startTimeUnixNano: 0n,
    timeUnixNano: 1n,
    count,
    ...fields,
  };
}

const peers = [span({ name: "another", attributes: { "openinference.span.kind": "CHAIN" } })];
const unrun = { attributes: { "toolspan.executed": false } };
const recovered = { attributes: { "toolspan.recovered": true } };

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
    ["a recovery", [toolSpan("a", "error", "x", recovered)], [point("a", "error", 1, { errorType: "x" })]],
    ["a refusal that did not run", [toolSpan("a", "error", "x", unrun), toolSpan("b", "ok")], [point("b", "ok", 1)]],
  ])("are a fault where spans and histogram differ by %s", (_, spans, points) => {
    expect(buildReport({ spans, points }, peers).faults).toEqual([
      expect.stringMatching(/^[ab]: the histogram has .*, the spans have .*$/),
    ]);
  });

  it("need no point for a call that was answered well without a run", () => {
    const spans = [toolSpan("a", "ok"), toolSpan("a", "ok", undefined, unrun)];
    const { tools, runs, faults } = buildReport({ spans, points: [point("a", "ok", 1)] }, peers);
    expect(faults).toEqual([]);
    expect([runs.size, tools.map(({ calls }) => calls)]).toEqual([2, [1]]);
  });

  it("have the failures that a retry made good", () => {
    const spans = [toolSpan("a", "error", "x", recovered), toolSpan("a", "error", "x"), toolSpan("a", "ok")];
    const points = [
      point("a", "error", 1, { errorType: "x", ...recovered }),
      point("a", "error", 1, { errorType: "x" }),
      point("a", "ok", 1),
    ];
    const { tools, faults } = buildReport({ spans, points }, peers);
    expect(faults).toEqual([]);
    expect(tools).toMatchObject([{ calls: 3, failed: 2, recovered: 1 }]);
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
      [unseen.spanId, undefined, "unseen"],
    ]);
    expect(tools.map(({ peer }) => peer)).toEqual([
      { calls: 3, failed: 2, missed: 1, unseen: 0, falseAlarms: 1 },
      { calls: 0, failed: 0, missed: 0, unseen: 1, falseAlarms: 0 },
    ]);
  });
});

describe("a call without a run", () => {
  const refused = toolSpan("a", "error", "tool_error", unrun);
  const later = toolSpan("a", "ok");
  const points = [point("a", "error", 1, { errorType: "tool_error" }), point("a", "ok", 1)];

  it("has no span of the other tracer, and takes none from the run after it", () => {
    const { runs, tools, faults } = buildReport({ spans: [refused, later], points }, [peerSpan("a", 1)]);
    expect(faults).toEqual([]);
    expect([...runs.values()]).toMatchObject([
      { executed: false, peerStatus: undefined, peerFault: "unseen" },
      { executed: true, peerStatus: "OK", peerFault: undefined },
    ]);
    expect(tools).toMatchObject([{ peer: { calls: 1, failed: 0, missed: 0, unseen: 1, falseAlarms: 0 } }]);
  });

  it("is not said to be unseen where the other tracer has a span more after all", () => {
    const theirs = [peerSpan("a", 2), peerSpan("a", 1)];
    expect(buildReport({ spans: [refused, later], points }, theirs).faults).toEqual([
      "the other tracer has more spans than toolspan: a",
    ]);
  });
});

describe("agents and model calls", () => {
  it("are read from their own spans, without what these do not say", () => {
    const agent = span({
      attributes: {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "desk",
        "toolspan.tool_calls": 5,
        "toolspan.failed_tool_calls": 2,
        "toolspan.unrecovered_tool_calls": 1,
      },
    });
    const chat = span({ attributes: { "gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 7 } });
    const { agents, modelCalls } = buildReport({ spans: [agent, chat, toolSpan("a", "ok")], points: [] }, peers);
    const counts = { toolCalls: 5, failedToolCalls: 2, unrecoveredToolCalls: 1 };
    expect([...agents]).toEqual([[agent.spanId, { agent: "desk", outcome: undefined, ...counts }]]);
    expect([...modelCalls]).toMatchObject([
      [chat.spanId, { inputTokens: 7, model: undefined, outputTokens: undefined }],
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
