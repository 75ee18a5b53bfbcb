/** The kinds of results behind the recordings, and what no payload may do, through the real Collector with the very repair.yaml that users get. */
import { beforeAll, describe, expect, it } from "vitest";
import { COMMAND_TRACERS, type CommandTracer, commandSpan, type Message, valueSpan } from "./support/commands.ts";
import type { Span, TraceRequest } from "./support/otlp.ts";
import { isToolSpan } from "./support/recordings.ts";
import { type Repair, startRepair } from "./support/repair.ts";

let repair: Repair;

beforeAll(async () => {
  repair = await startRepair();
});

const own = (status?: Message["status"], content = "answer"): Message => ({
  type: "tool",
  id: "call_1",
  content,
  ...(status && { status }),
});
const others = (status?: Message["status"]): Message => ({
  type: "tool",
  id: "call_0",
  content: "old",
  ...(status && { status }),
});
const note: Message = { type: "human", content: "note" };
const quotes = '"status":"error","tool_call_id":"call_1","type":"tool"}';

/** What the messages of a Command come to: where the span says which call it is, and where it does not. */
const kinds: readonly (readonly [string, readonly Message[], "failed" | "fine", "failed" | "fine"])[] = [
  ["one failed answer", [own("error")], "failed", "failed"],
  ["a failed answer beside a message of another kind", [note, own("error"), note], "failed", "failed"],
  ["a failed answer after the failed answers of others", [others("error"), own("error")], "failed", "failed"],
  ["a failed answer after a good one of another call", [others("success"), own("error")], "failed", "fine"],
  ["a good answer after a failed one of another call", [others("error"), own("success")], "fine", "fine"],
  ["a good answer, without a word of its status, after a failed one", [others("error"), own()], "fine", "fine"],
  ["a good answer before a failed one of another call", [own("success"), others("error")], "fine", "fine"],
  ["a good answer that quotes a failed one", [own("success", quotes), note], "fine", "fine"],
  [
    "a good answer that quotes a failed one, after a failed one",
    [others("error"), own("success", quotes)],
    "fine",
    "fine",
  ],
  ["no answer at all", [note], "fine", "fine"],
  ["no messages", [], "fine", "fine"],
];

const statusOf = (spans: readonly Span[] | undefined): string | undefined => spans?.find(isToolSpan)?.status;

describe.each(COMMAND_TRACERS)("a Command in a span of $tracer", (tracer: CommandTracer) => {
  it.each(kinds)("%s", async (_, messages, known, unknown) => {
    const expected = (tracer.saysCall ? known : unknown) === "failed" ? /^ERROR$/ : /^(OK|UNSET)$/;
    const requests = [commandSpan(tracer, messages), commandSpan(tracer, messages, { asPairs: true })];
    const spans = await repair.pass(requests);
    expect(spans.map(statusOf)).toEqual([expect.stringMatching(expected), expect.stringMatching(expected)]);
  });

  it("a call id with quotes in it is still its own", async () => {
    const [spans] = await repair.pass([commandSpan(tracer, [{ ...own("error"), id: 'call_"1",":"error' }])]);
    expect(statusOf(spans)).toMatch(tracer.saysCall ? /^(OK|UNSET)$/ : /^ERROR$/);
  });

  it("more messages than it looks at are left alone", async () => {
    const [spans] = await repair.pass([
      commandSpan(tracer, [...Array.from({ length: 100 }, () => note), own("error")]),
    ]);
    expect(statusOf(spans)).toMatch(/^(OK|UNSET)$/);
  });
});

const inner = { type: "tool", name: null, id: null, tool_call_id: "call_1" };

/** What a tool returns of its own accord, which no framework has formed. */
const ownValues: readonly (readonly [string, unknown])[] = [
  ["an object", { status: "error", jobs: 3 }],
  ["an object with a type", { type: "tool", status: "error" }],
  ["an object with data", { type: "tool", data: { status: "error" } }],
  ["an object with data of a kind", { type: "tool", data: { type: "job", status: "error", tool_call_id: "call_1" } }],
  ["an object with fields", { lc: 1, id: ["a", "Job"], kwargs: { status: "error", tool_call_id: "call_1" } }],
  ["rows", [{ status: "error" }, { status: "success" }]],
  ["one row", [{ status: "error" }]],
  ["rows with a type", [{ type: "tool", status: "error" }]],
  ["rows of another type", [{ type: "job", tool_call_id: "call_1", status: "error" }]],
  ["rows with data", [{ type: "tool", data: { type: "tool", status: "error" } }]],
  ["rows with fields", [{ lc: 1, id: ["a", "Job"], kwargs: { status: "error" } }]],
  [
    "rows with marks",
    [
      { status: 'error": true', tool_call_id: 'x": true' },
      { status: "error", x: true },
    ],
  ],
  ["a change of something", { update: { messages: [{ status: "error" }] } }],
  ["a change of something, and where to go", { goto: "x", update: { messages: [{ status: "error" }] } }],
  // Ends like those of a failed message, on another object.
  [
    "a message that holds one",
    { type: "tool", data: { content: "x", log: { ...inner, artifact: null, status: "error" } } },
  ],
  [
    "a serialized message that holds one",
    { lc: 1, id: ["langchain", "ToolMessage"], kwargs: { content: "x", log: { ...inner, status: "error" } } },
  ],
  ["fields that hold one", { content: "x", log: { ...inner, status: "error" } }],
  ["fields that hold a short one", { content: "x", log: { type: "tool", tool_call_id: "call_1", status: "error" } }],
  ["a result that holds one", { content: [{ type: "text", text: "x" }], log: [{ ...inner, isError: true }] }],
  ["a text", '{"type": "tool", "tool_call_id": "call_1", "status": "error"}'],
  ["an old state", { messages: [{ type: "tool", tool_call_id: "call_1", status: "error" }] }],
];

describe.each(COMMAND_TRACERS)("a value of the tool's own in a span of $tracer", (tracer: CommandTracer) => {
  it.each(ownValues)("%s", async (_, value) => {
    const spans = await repair.pass([true, false].map((withId) => valueSpan(tracer, value, { withId })));
    const untouched = expect.stringMatching(/^(OK|UNSET)$/) as unknown;
    expect(spans.map(statusOf)).toEqual([untouched, untouched]);
  });
});

/** A tool span of whoever follows the GenAI conventions. */
const toolSpan = (
  attributes: Readonly<Record<string, unknown>>,
  { scope = "some.tracer", status = {} as object } = {},
): TraceRequest =>
  ({
    resourceSpans: [
      {
        scopeSpans: [
          {
            scope: { name: scope },
            spans: [
              {
                traceId: "a1".repeat(16),
                spanId: "b2".repeat(8),
                name: "execute_tool t",
                status,
                attributes: Object.entries({ "gen_ai.operation.name": "execute_tool", ...attributes }).map(
                  ([key, value]) => ({
                    key,
                    value:
                      typeof value === "object"
                        ? value
                        : { [typeof value === "boolean" ? "boolValue" : "stringValue"]: value },
                  }),
                ),
              },
            ],
          },
        ],
      },
    ],
  }) as unknown as TraceRequest;

const result = (value: unknown): TraceRequest =>
  toolSpan({
    "gen_ai.tool.call.id": "call_1",
    "gen_ai.tool.call.result": typeof value === "string" ? value : JSON.stringify(value),
  });

const block = [{ type: "text", text: "no" }];

describe("a result in a form that says it failed", () => {
  it.each([
    ["MCP", { content: block, isError: true }],
    ["MCP, without content", { content: [], isError: true }],
    ["Anthropic", { type: "tool_result", tool_use_id: "t1", is_error: true, content: "no" }],
    ["Bedrock", { toolResult: { toolUseId: "t1", status: "error", content: [{ text: "no" }] } }],
    ["Bedrock, bare", { toolUseId: "t1", status: "error", content: [{ text: "no" }] }],
    ["AI SDK, text", { type: "error-text", value: "no" }],
    ["AI SDK, JSON", { type: "error-json", value: { code: 7 } }],
    ["LangChain", { type: "tool", tool_call_id: "call_1", status: "error", content: "no" }],
  ])("%s", async (_, value) => {
    const [spans] = await repair.pass([result(value)]);
    expect(spans?.[0]).toMatchObject({
      status: "ERROR",
      attributes: { "error.type": "tool_error", "toolspan.repaired": true },
    });
  });

  it("a map, as SDKs of the 3.x line may write it", async () => {
    const field = (key: string, value: object): object => ({ key, value });
    const map = {
      kvlistValue: {
        values: [field("isError", { boolValue: true }), field("content", { arrayValue: { values: [] } })],
      },
    };
    const [spans] = await repair.pass([toolSpan({ "gen_ai.tool.call.result": map })]);
    expect(spans?.[0]?.status).toBe("ERROR");
  });
});

describe("a result that only speaks of failures", () => {
  it.each([
    ["words", "Error: 3 jobs failed, isError: true"],
    ["its own status", { status: "error", jobs: 3 }],
    ["its own status, and an id", { status: "error", toolUseId: "t1" }],
    ["no error", { error: null, isError: false, status: "error" }],
    ["a flag without a result", { isError: true }],
    ["a flag on content of another kind", { isError: true, content: "no" }],
    ["a flag of text", { isError: "true", content: block }],
    ["a failed result inside of another", { log: { content: block, isError: true } }],
    ["a failed result inside of a list", [{ content: block, isError: true }]],
    ["a failed result as text", JSON.stringify(JSON.stringify({ content: block, isError: true }))],
    ["the message of another call", { type: "tool", tool_call_id: "call_9", status: "error", content: "no" }],
    [
      "the message of another call, serialized",
      { lc: 1, id: ["a", "ToolMessage"], kwargs: { tool_call_id: "call_9", status: "error" } },
    ],
    ["a denial", { type: "execution-denied", reason: "no" }],
  ])("%s", async (_, value) => {
    const request = result(value);
    const [spans] = await repair.pass([request]);
    expect(spans?.[0]).toMatchObject({ status: "UNSET" });
    expect(spans?.[0]?.attributes).not.toHaveProperty("toolspan.repaired");
  });
});

describe("what is told by the tracer", () => {
  const failed = JSON.stringify({
    type: "tool",
    data: { type: "tool", tool_call_id: "call_1", status: "error", content: "no" },
  });

  it("OpenInference draws a tool with agent in its name as an agent, which the normalizer then calls invoke_agent", async () => {
    const attributes = {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.tool.name": "ask_agent",
      "output.value": failed,
    };
    const [spans] = await repair.pass([
      toolSpan(attributes, { scope: "openinference.instrumentation.langchain", status: { code: 1 } }),
    ]);
    expect(spans?.[0]?.status).toBe("ERROR");
  });

  it.each(["opentelemetry.instrumentation.mcp.instrumentation", "@traceloop/instrumentation-mcp"])(
    "Traceloop's flag of an MCP result (%s)",
    async (scope) => {
      const output = (isError: boolean): string => JSON.stringify({ result: '"is_error": true', is_error: isError });
      const spans = await repair.pass(
        [true, false].map((isError) =>
          toolSpan(
            { "traceloop.span.kind": "tool", "traceloop.entity.output": output(isError) },
            { scope, status: { code: 1 } },
          ),
        ),
      );
      expect(spans.map(([span]) => span?.status)).toEqual(["ERROR", "OK"]);
    },
  );

  it("Traceloop's own word for it is set right, too", async () => {
    const traceloop = COMMAND_TRACERS.find(({ tracer }) => tracer === "opentelemetry-instrumentation-langchain");
    if (traceloop === undefined) throw new Error("no tracer");
    const spans = await repair.pass([commandSpan(traceloop, [own("error")]), commandSpan(traceloop, [own("success")])]);
    expect(spans.map((ofTool) => ofTool.find(isToolSpan)?.attributes["gen_ai.task.status"])).toEqual([
      "failure",
      "success",
    ]);
  });

  it.each([
    "opentelemetry.instrumentation.langchain",
    "opentelemetry.instrumentation.genai.langchain",
    "@traceloop/instrumentation-langchain",
    "langsmith",
    "langfuse-sdk",
    "openinference.instrumentation.langchain",
    "@arizeai/openinference-instrumentation-langchain",
  ])("LangChain knows no form of MCP's: a tool's own data in a span of %s", async (scope) => {
    const results = [
      { content: block, isError: true },
      { log: 1, content: block, isError: true },
    ].map((value) => JSON.stringify(value));
    const spans = await repair.pass(results.map((text) => toolSpan({ "gen_ai.tool.call.result": text }, { scope })));
    expect(spans.map(([span]) => span?.status)).toEqual(["UNSET", "UNSET"]);
  });
});

describe("a status written on the span", () => {
  const attribute = { "langchain.tool_message.status": "error" };

  it("makes it an error, whoever the tracer is and with content capture off", async () => {
    const [spans] = await repair.pass([
      toolSpan(attribute, { scope: "AzureAIOpenTelemetryTracer", status: { code: 1 } }),
    ]);
    expect(spans?.[0]).toMatchObject({
      status: "ERROR",
      description: "tool call failed",
      attributes: { "error.type": "tool_error" },
    });
  });

  it.each([
    ["an MCP instrumentation's flag", { "mcp.method.name": "tools/call", "mcp.tool.result.is_error": true }],
    ["an MCP instrumentation's error type", { "mcp.method.name": "tools/call", "error.type": "tool_error" }],
    ["the tool's own status", { "gen_ai.tool.status": "error" }],
  ])("is also %s", async (_, attributes) => {
    const [spans] = await repair.pass([toolSpan(attributes, { status: { code: 1 } })]);
    expect(spans?.[0]).toMatchObject({
      status: "ERROR",
      attributes: { "error.type": "tool_error", "toolspan.repaired": true },
    });
  });

  it("is not one of another method's, of a good call's, or of a span that toolspan made", async () => {
    const listed = toolSpan({ "mcp.method.name": "tools/list", "mcp.tool.result.is_error": true });
    const good = toolSpan({ "gen_ai.tool.status": "success" });
    const ours = toolSpan({ "gen_ai.tool.status": "error", "toolspan.outcome": "cancelled" });
    const spans = await repair.pass([listed, good, ours]);
    expect(spans.map(([span]) => span?.status)).toEqual(["UNSET", "UNSET", "UNSET"]);
    for (const [span] of spans) expect(span?.attributes).not.toHaveProperty("toolspan.repaired");
  });

  it("leaves a success and an error that was there as they are", async () => {
    const success = toolSpan({ "langchain.tool_message.status": "success" }, { status: { code: 1 } });
    const thrown = toolSpan({ ...attribute, "error.type": "ValueError" }, { status: { code: 2, message: "bad unit" } });
    const [first, second] = await repair.pass([success, thrown]);
    expect(first?.[0]?.status).toBe("OK");
    expect(second?.[0]).toMatchObject({
      status: "ERROR",
      description: "bad unit",
      attributes: { "error.type": "ValueError" },
    });
  });
});

describe("red", () => {
  const red = (type: string, message: string, more: object = {}): TraceRequest =>
    toolSpan({ "error.type": type, ...more }, { status: { code: 2, message } });

  it.each([
    ["an interrupt of Python", "GraphInterrupt", "(Interrupt(value={'ask': 'ok?'}, id='1'),)", "interrupted"],
    [
      "an interrupt of Python, by its full name",
      "langgraph.errors.GraphInterrupt",
      "(Interrupt(value=1, id='1'),)",
      "interrupted",
    ],
    ["a node's interrupt", "NodeInterrupt", "[Interrupt(value='stop', id='placeholder')]", "interrupted"],
    [
      "an interrupt of JS",
      "GraphInterrupt",
      'GraphInterrupt: [\n  {\n    "id": "1",\n    "value": 1 } ]',
      "interrupted",
    ],
    ["a hand-off", "ParentCommand", "Command(graph='__parent__', goto='other')", "handoff"],
  ])("is lifted from %s", async (_, type, message, outcome) => {
    const [spans] = await repair.pass([red(type, message)]);
    expect(spans?.[0]).toMatchObject({
      status: "UNSET",
      description: "",
      attributes: { "toolspan.outcome": outcome, "toolspan.repaired": true },
    });
    expect(spans?.[0]?.attributes).not.toHaveProperty("error.type");
  });

  it.each([
    ["an error that bears the name", "GraphInterrupt", "disk full"],
    ["an error that bears the name and speaks of one", "GraphInterrupt", "no (Interrupt(value=1),)"],
    ["another error that quotes one", "ValueError", "(Interrupt(value={'ask': 'ok?'}, id='1'),)"],
    ["a hand-off by name alone", "ParentCommand", ""],
    ["a cancellation", "CancelledError", ""],
  ])("stays on %s", async (_, type, message) => {
    const [spans] = await repair.pass([red(type, message)]);
    expect(spans?.[0]).toMatchObject({ status: "ERROR", description: message, attributes: { "error.type": type } });
    expect(spans?.[0]?.attributes).not.toHaveProperty("toolspan.repaired");
  });

  it("stays on a node of a graph, which is no tool", async () => {
    const message = "(Interrupt(value=1, id='1'),)";
    const [spans] = await repair.pass([red("GraphInterrupt", message, { "gen_ai.operation.name": "execute_task" })]);
    expect(spans?.[0]).toMatchObject({ status: "ERROR", description: message });
  });
});
