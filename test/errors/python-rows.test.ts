/**
 * Python's contract, row by row: LangChain's `handle_tool_error` and `handle_validation_error` as they were recorded (the
 * ids are those of the recording), each played with real tools in five places, and the span that it makes.
 */
import { type AIMessage, ToolMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { type StructuredToolInterface, tool } from "@langchain/core/tools";
import { Command } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ToolspanHandler } from "../../src/adapters/langchain.ts";
import { handleErrors, type ErrorPolicy } from "../../src/adapters/langchain-errors.ts";
import { ToolException } from "../../src/index.ts";
import { agentOf, asks, done, toolCall } from "../support/agent.ts";
import { failed, type Traced, traced, verdict } from "../support/traced.ts";

const DOWN = "Search backend unavailable";

class QuotaException extends ToolException {}

const body = (error: unknown) => (): never => {
  throw error;
};
const fails = body(new ToolException(DOWN));
const building = (status?: "error" | "success") => () =>
  new ToolMessage({ content: "built", tool_call_id: "call_1", ...(status && { status }) });
const inner = (): never => z.object({ n: z.number() }).parse({ n: "x" }) as never;

interface Row {
  readonly policy?: ErrorPolicy;
  readonly body: () => unknown;
  readonly args?: Record<string, unknown>;
  readonly responseFormat?: "content_and_artifact";
  /** What the model gets; without it the error is thrown on. */
  readonly told?: unknown;
  /** What is returned where the call has no id. Default: what the model gets. */
  readonly bare?: unknown;
  /** The message's own status, of one that a handler built. */
  readonly status?: string | undefined;
  /** `error.type`; without it the call succeeded. */
  readonly type?: string;
}

const handled = (handleToolError: ErrorPolicy["handleToolError"], told: unknown, row: Partial<Row> = {}): Row => ({
  policy: { handleToolError },
  body: fails,
  told,
  type: "ToolException",
  ...row,
});
const thrown = (handleToolError: ErrorPolicy["handleToolError"], row: Partial<Row> = {}): Row => ({
  policy: { handleToolError },
  body: fails,
  type: "ToolException",
  ...row,
});
const refused = (handleValidationError: ErrorPolicy["handleValidationError"], row: Partial<Row> = {}): Row => ({
  policy: { handleValidationError },
  body: () => "ran",
  args: { q: 1 },
  type: "invalid_arguments",
  ...row,
});

const rows: Readonly<Record<string, Row>> = {
  te_false: thrown(false),
  te_none: thrown(undefined),
  te_empty_str: thrown(""),
  te_true: handled(true, DOWN),
  te_true_noargs: handled(true, "Tool execution error", { body: body(new ToolException()) }),
  te_true_emptymsg: handled(true, "", { body: body(new ToolException("")) }),
  te_true_dict: handled(true, '{"code":503}', {
    body: body(new ToolException({ code: 503 })),
    bare: { code: 503 },
  }),
  te_true_subclass: handled(true, DOWN, { body: body(new QuotaException(DOWN)), type: "QuotaException" }),
  te_str: handled("Try another source", "Try another source"),
  te_call_str: handled((error) => `failed: ${error.message}`, `failed: ${DOWN}`),
  te_call_blocks: handled(() => [{ type: "text", text: "no" }], [{ type: "text", text: "no" }]),
  te_call_dict: handled(() => ({ error: DOWN, retry: false }), `{"error":"${DOWN}","retry":false}`, {
    bare: { error: DOWN, retry: false },
  }),
  te_call_int: handled(() => 503, "503", { bare: 503 }),
  te_call_none: handled(() => null, "null", { bare: null }),
  te_call_empty: handled(() => "", ""),
  te_call_toolmsg: handled(building(), "built", { status: undefined }),
  te_call_toolmsg_ok: handled(building("success"), "built", { status: "success" }),
  te_call_toolmsg_err: handled(building("error"), "built"),
  te_call_raises: handled(body(new RangeError("the handler failed")), undefined, { type: "RangeError" }),
  te_long: handled(true, "E".repeat(6000), { body: body(new ToolException("E".repeat(6000))) }),
  ve_false: refused(false),
  ve_true: refused(true, { told: "Tool input validation error" }),
  ve_str: refused("Use a text", { told: "Use a text" }),
  ve_call: refused((error) => error.message.split("\n")[0], {
    told: "Received tool input did not match expected schema",
  }),
  ve_inner: refused(true, { args: { q: "x" }, body: inner, told: "Tool input validation error", type: "ZodError" }),
  ex_value_error: thrown(true, { body: body(new RangeError("bad unit")), type: "RangeError" }),
  ex_timeout_error: thrown(true, { body: body(new DOMException("late", "TimeoutError")), type: "timeout" }),
  ex_empty_message: thrown(true, { body: body(new TypeError("")), type: "TypeError" }),
  ca_ok: { body: () => ["3 rows", [1, 2, 3]], responseFormat: "content_and_artifact", told: "3 rows" },
  ca_ok_artifact_err: {
    body: () => ["1 job found", { status: "error" }],
    responseFormat: "content_and_artifact",
    told: "1 job found",
  },
  ca_handled: handled(true, DOWN, { responseFormat: "content_and_artifact" }),
  ca_bad_return: { body: () => "one", responseFormat: "content_and_artifact", type: "invalid_result" },
};

const make = ({ policy = {}, body: run, responseFormat }: Row): StructuredToolInterface =>
  handleErrors(
    tool(async () => run(), {
      name: "t",
      description: "d",
      schema: z.object({ q: z.string() }),
      ...(responseFormat && { responseFormat }),
    }),
    policy,
  ) as unknown as StructuredToolInterface;

/** What came back, and what was thrown on. */
type Ending = { readonly value: unknown } | { readonly error: unknown };
const settle = async (promise: Promise<unknown>): Promise<Ending> =>
  promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );

const places = {
  "outside, with a call id": (row: Row, config: RunnableConfig) => make(row).invoke(toolCall("t", row.args), config),
  "outside, without a call id": (row: Row, config: RunnableConfig) => make(row).invoke(row.args ?? { q: "x" }, config),
  "outside, with a tool call that has no id (te_id_none)": (row: Row, config: RunnableConfig) =>
    make(row).invoke({ name: "t", args: row.args ?? { q: "x" }, type: "tool_call" } as never, config),
  "in ToolNode": (row: Row, config: RunnableConfig) =>
    new ToolNode([make(row)]).invoke([asks(toolCall("t", row.args))], config),
  "in createAgent": (row: Row, config: RunnableConfig) =>
    agentOf([make(row)], {}, [asks(toolCall("t", row.args)), done]).invoke({ messages: ["go"] } as never, config),
};

async function play(row: Row, place: keyof typeof places): Promise<Traced & { readonly ending: Ending }> {
  const test = traced();
  const { tracerProvider, meterProvider } = test;
  const handler = new ToolspanHandler({ tracerProvider, meterProvider });
  const ending = await settle(places[place](row, { callbacks: [handler] as never }));
  handler.shutdown(); // what is still open would show as an abandoned span
  return { ...test, ending };
}

const cases = Object.keys(rows).flatMap((id) => Object.keys(places).map((place) => [id, place] as const));

describe.each(cases)("%s %s", (id, place) => {
  const row = rows[id]!;
  const inGraph = place.startsWith("in ");
  const withId = inGraph || place === "outside, with a call id";

  it("is one span with the right verdict, and one point of the metric", async () => {
    const test = await play(row, place as keyof typeof places);
    const wanted = row.type === undefined ? { status: "UNSET", outcome: "ok" } : failed(row.type);
    expect(verdict(test.onlySpan())).toEqual(wanted);
    const [point, ...rest] = await test.counts();
    expect([point?.count, point?.attributes["error.type"], rest]).toEqual([1, row.type, []]);
  });

  it("gives the model what Python gives it", async () => {
    const { ending } = await play(row, place as keyof typeof places);
    const built = id.startsWith("te_call_toolmsg");
    const usual = row.type === undefined ? "success" : "error";
    const message = { content: row.told, status: "status" in row ? row.status : usual, callId: "call_1" };
    const answered = withId || built ? message : { bare: "bare" in row ? row.bare : row.told };
    const thrownOn = inGraph ? { status: "error", callId: "call_1" } : { thrown: true };
    expect(gotten(ending, inGraph)).toMatchObject(row.told === undefined ? thrownOn : answered);
  });
});

/** What the model or the caller got, of an answer or an error. */
function gotten(ending: Ending, inGraph: boolean): object {
  if ("error" in ending) return { thrown: true };
  const answer = inGraph ? answerIn(ending) : ending.value;
  if (!ToolMessage.isInstance(answer)) return { bare: answer };
  return { content: answer.content, status: answer.status, callId: answer.tool_call_id };
}

function answerIn(ending: Ending): unknown {
  const value = (ending as { value: unknown }).value;
  const messages = Array.isArray(value) ? value : (value as { messages: AIMessage[] }).messages;
  return messages.find((one: unknown) => ToolMessage.isInstance(one));
}

describe("a Command that a handler builds", () => {
  it.each(Object.keys(places))("passes through, and the span is ERROR: %s", async (place) => {
    const command = new Command({ update: { messages: [building("success")()] } });
    const row = handled(() => command, command);
    const { ending, onlySpan } = await play(row, place as keyof typeof places);
    expect(verdict(onlySpan())).toEqual(failed("ToolException"));
    expect(JSON.stringify(ending)).toContain("built");
  });
});

describe("te_id_none in a graph: the node's own message says success, the span does not", () => {
  const asked = (row: Row) => asks({ name: "t", args: row.args ?? { q: "x" }, type: "tool_call" } as never);
  it.each(["te_true", "te_true_noargs", "te_str", "te_call_dict", "te_call_none", "ve_true"])("%s", async (id) => {
    const row = rows[id]!;
    const nodes = {
      ToolNode: (config: RunnableConfig) => new ToolNode([make(row)]).invoke([asked(row)], config),
      createAgent: (config: RunnableConfig) =>
        agentOf([make(row)], {}, [asked(row), done]).invoke({ messages: ["go"] } as never, config as never),
    };
    for (const run of Object.values(nodes)) {
      const test = traced();
      const { tracerProvider, meterProvider } = test;
      await run({ callbacks: [new ToolspanHandler({ tracerProvider, meterProvider })] as never });
      expect(verdict(test.onlySpan())).toEqual(failed(row.type!));
    }
  });
});

describe("what was thrown on", () => {
  it.each(["te_false", "te_none", "te_empty_str", "ex_value_error", "ex_timeout_error", "ex_empty_message"])(
    "%s is the very error",
    async (id) => {
      const error = new Error("its own");
      const own = id.startsWith("te_") ? new ToolException("its own") : error;
      const { ending } = await play({ ...rows[id]!, body: body(own) }, "outside, with a call id");
      expect((ending as { error: unknown }).error).toBe(own);
    },
  );

  it("ve_false is LangChain's own error, word for word", async () => {
    const plain = tool(() => "ran", { name: "t", description: "d", schema: z.object({ q: z.string() }) });
    const { ending } = await play(rows["ve_false"]!, "outside, with a call id");
    const original = await settle(plain.invoke({ q: 1 } as never));
    const { error } = ending as { error: Error };
    const { error: wanted } = original as { error: Error };
    expect([error.constructor, error.message, Object.entries(error)]).toEqual([
      wanted.constructor,
      wanted.message,
      Object.entries(wanted),
    ]);
  });
});

describe("the span of a handled failure", () => {
  it("tells the failure's own words, not those for the model, and the exception", async () => {
    const cause = new Error("connect ECONNREFUSED");
    const row = handled("Try another source", "", { body: body(new ToolException(DOWN, { cause })) });
    const span = (await play(row, "outside, without a call id")).onlySpan();
    expect(span.status.message).toBe(`${DOWN}; cause: connect ECONNREFUSED`);
    expect(span.attributes).toMatchObject({ "toolspan.handled": true });
    expect(span.events.map(({ name, attributes }) => [name, attributes?.["exception.type"]])).toEqual([
      ["exception", "ToolException"],
    ]);
  });

  it("te_long: the description is cut", async () => {
    const span = (await play(rows["te_long"]!, "in createAgent")).onlySpan();
    expect(span.status.message).toHaveLength(256);
  });

  it("ca_bad_return: the description tells nothing of the result", async () => {
    const row = { ...rows["ca_bad_return"]!, body: () => "patient 4711" };
    for (const place of Object.keys(places)) {
      const span = (await play(row, place as keyof typeof places)).onlySpan();
      expect(JSON.stringify([span.status, span.events])).not.toContain("4711");
    }
  });
});
