/**
 * Public reports of wrong tool status, each with the value that is right; the ids are those of the project's collection.
 * S starts a run, E ends it with a value, X with an error; PS, PE, PX are those of a parent.
 */
import { ToolMessage } from "@langchain/core/messages";
import { Command, ParentCommand } from "@langchain/langgraph";
import { SpanStatusCode } from "@opentelemetry/api";
import { beforeAll, describe, expect, it } from "vitest";
import { ToolspanHandler } from "../src/adapters/langchain.ts";
import type { RecorderOptions } from "../src/index.ts";
import { agentOf, ask, fails } from "./support/agent.ts";
import { said } from "./support/said.ts";
import { failed, succeeded, traced, unfailed, useContextManager, verdict } from "./support/traced.ts";
import { watched } from "./support/watched.ts";

beforeAll(useContextManager);
const lines = said();

function bridge(options?: RecorderOptions) {
  const test = watched(options);
  const { recorder } = test;
  return {
    ...test,
    S: (key: string, parentKey?: string, callId?: string, args?: unknown) =>
      recorder.onToolStart({ key, name: "search", callId, parentKey, args }),
    E: (key: string, value?: unknown) => recorder.onToolEnd(key, value),
    X: (key: string, error?: unknown) => recorder.onToolError(key, error),
    PS: (key: string, parentKey?: string) => recorder.onParentStart({ key, parentKey }),
    PE: (key: string, value?: unknown) => recorder.onParentEnd(key, value),
    PX: (key: string, error: unknown) => recorder.onParentError(key, error),
    verdicts: () => test.spans().map(verdict),
  };
}
const TM = (status: "error" | "success", content: unknown = "boom", fields: object = {}) =>
  new ToolMessage({ content: content as string, tool_call_id: "c1", status, ...fields });
const abort = () => new DOMException("stopped", "AbortError");
const interrupt = { name: "GraphInterrupt", is_bubble_up: true };
const toolError = failed("tool_error");

describe("A: a handled failure recorded as OK", () => {
  it("R01: a ToolMessage marked error", async () => {
    const { S, E, onlySpan, counts } = bridge();
    S("r1", undefined, "c1");
    E("r1", TM("error"));
    expect(verdict(onlySpan())).toEqual(toolError);
    expect(onlySpan().status.message).toBe("boom");
    expect(onlySpan().events).toEqual([]);
    expect(await counts()).toMatchObject([
      { count: 1, attributes: { "gen_ai.tool.name": "search", "error.type": "tool_error" } },
    ]);
  });

  it("R03: the AI SDK's tool-error part, which the core reads (its adapter comes later)", () => {
    const { S, E, onlySpan } = bridge();
    S("r1");
    E("r1", { type: "tool-error", toolCallId: "c1", toolName: "search", error: new Error("x") });
    expect(verdict(onlySpan())).toEqual(failed("Error"));
    expect(onlySpan().status.message).toBe("x");
    expect(onlySpan().events).toHaveLength(1);
  });

  it("R05: an envelope that is declared by a rule", () => {
    const envelope = (value: unknown) => {
      const { status, error } = (value ?? {}) as { status?: string; error?: string };
      return status === "failure" ? ({ kind: "error", type: "tool_error", message: error ?? "" } as const) : undefined;
    };
    const { S, E, onlySpan } = bridge({ rules: [envelope], captureContent: true });
    S("r1");
    E("r1", { status: "failure", error: "no route" });
    expect(verdict(onlySpan())).toEqual(toolError);
    expect(onlySpan().status.message).toBe("no route");
    expect(onlySpan().attributes).not.toHaveProperty("gen_ai.tool.call.result");
  });

  it("R06: three failures and a success are four runs, and their parent is none of them", async () => {
    const { S, E, X, PS, PE, verdicts, failures, counts } = bridge();
    PS("agent");
    for (const run of ["r1", "r2", "r3"]) {
      S(run, "agent");
      X(run, new Error("no"));
    }
    S("r4", "agent");
    E("r4", "fine");
    PE("agent");
    expect(verdicts()).toEqual([failed("Error"), failed("Error"), failed("Error"), succeeded]);
    expect(await failures()).toBe(3);
    expect((await counts()).reduce((sum, { count }) => sum + count, 0)).toBe(4);
  });
});

describe("C: control flow shown as an error", () => {
  it("R16: an interrupt inside a tool", async () => {
    const { S, X, onlySpan, failures } = bridge();
    S("r1");
    X("r1", interrupt);
    expect(verdict(onlySpan())).toEqual(unfailed("interrupted"));
    expect(onlySpan().events).toEqual([]);
    expect(await failures()).toBe(0);
  });

  it("R18: a hand-off, returned or thrown", () => {
    const { S, E, X, verdicts, spans } = bridge({ captureContent: true });
    const command = new Command({
      graph: Command.PARENT,
      goto: "b",
      update: { messages: [TM("success", "handed over")] },
    });
    S("r1", undefined, "c1");
    E("r1", command);
    S("r2");
    X("r2", new ParentCommand(command));
    expect(verdicts()).toEqual([succeeded, unfailed("handoff")]);
    expect(spans()[0]!.attributes).toMatchObject({
      "gen_ai.tool.name": "search",
      "gen_ai.tool.call.id": "c1",
      "gen_ai.tool.call.result": '"handed over"',
    });
  });

  it("R20: the parent of an interrupt", () => {
    const { PS, S, X, PX, verdicts } = bridge();
    PS("p");
    S("r1", "p");
    X("r1", interrupt);
    PX("p", interrupt);
    expect(verdicts()).toEqual([unfailed("interrupted")]);
  });
});

describe("D: cancellation, denial and timeout misfiled", () => {
  it("R21: the caller's abort", async () => {
    const { S, X, verdicts, spans, failures } = bridge();
    S("r1");
    X("r1", abort());
    S("r2");
    X("r2", Object.assign(new Error("stop"), { name: "AbortError" }));
    expect(verdicts()).toEqual([unfailed("cancelled"), unfailed("cancelled")]);
    expect(spans().flatMap(({ events }) => events)).toEqual([]);
    expect(await failures()).toBe(0);
  });

  it("R23: structure decides, not the words", () => {
    const { S, X, verdicts } = bridge();
    const errors = [
      Object.assign(new Error("Interrupted by user"), { name: "AbortError" }),
      new Error("connection aborted by peer"),
      Object.assign(new Error("killed by timeout"), { name: "TimeoutError" }),
    ];
    for (const [index, error] of errors.entries()) {
      S(`r${index}`);
      X(`r${index}`, error);
    }
    expect(verdicts()).toEqual([unfailed("cancelled"), failed("Error"), failed("timeout")]);
  });

  it("R24: a timeout and the retry of one call are two runs with one call id", () => {
    const { S, X, E, verdicts, spans } = bridge();
    S("r1", undefined, "c1");
    X("r1", new DOMException("late", "TimeoutError"));
    S("r2", undefined, "c1");
    E("r2", "fine");
    expect(verdicts()).toEqual([failed("timeout"), succeeded]);
    expect(spans().map(({ attributes }) => attributes["gen_ai.tool.call.id"])).toEqual(["c1", "c1"]);
  });

  it("R26: a policy's denial; a hook that throws is told once", async () => {
    const { S, E, verdicts, failures } = bridge({
      attributes: () => {
        throw new Error("hook");
      },
    });
    for (const run of ["r1", "r2"]) {
      S(run);
      E(run, { type: "execution-denied", reason: "policy" });
    }
    expect(verdicts()).toEqual([unfailed("denied"), unfailed("denied")]);
    expect(await failures()).toBe(0);
    expect(lines.splice(0)).toHaveLength(1);
  });

  it("R27: one stop of many steps paints none of them red", () => {
    const { PS, S, X, PX, verdicts } = bridge();
    PS("p");
    const runs = ["r1", "r2", "r3"];
    for (const run of runs) S(run, "p");
    for (const run of runs) X(run, abort());
    PX("p", abort());
    expect(verdicts()).toEqual(runs.map(() => unfailed("cancelled")));
  });
});

describe("E: success shown as an error", () => {
  it("R28: no search in texts", async () => {
    const { S, E, verdicts, failures } = bridge();
    S("r1");
    E("r1", "ticket: payment failed; 0 errors found");
    S("r2");
    E("r2", TM("success", "Error budget: 99%"));
    expect(verdicts()).toEqual([succeeded, succeeded]);
    expect(await failures()).toBe(0);
  });

  it("R30: a key whose value is undefined", () => {
    const { S, E, verdicts } = bridge();
    S("r1");
    E("r1", { server: "x", error: undefined });
    expect(verdicts()).toEqual([succeeded]);
  });
});

describe("F: missing or never-ended spans", () => {
  it("R32: an aborted or suspended parent closes what is open below it", () => {
    const { PS, S, PX, verdicts } = bridge();
    for (const [parent, error] of [
      ["p1", abort()],
      ["p2", interrupt],
    ] as const) {
      PS(parent);
      S(`${parent}r`, parent);
      PX(parent, error);
    }
    expect(verdicts()).toEqual([unfailed("cancelled"), unfailed("interrupted")]);
  });

  it("R33: shutdown closes what has no end; a late end is ignored", () => {
    const { S, E, recorder, verdicts } = bridge();
    S("r1");
    recorder.shutdown();
    E("r1", TM("error"));
    expect(verdicts()).toEqual([unfailed("abandoned")]);
  });

  it.each([true, false])("R35: a throwing tool while events are streamed (handled: %s)", async (handled) => {
    const { tracerProvider, meterProvider, onlySpan, failures } = traced();
    const callbacks = [new ToolspanHandler({ tracerProvider, meterProvider })];
    const middleware = handled
      ? []
      : [
          {
            name: "passing",
            wrapToolCall: (request: unknown, handler: (request: unknown) => unknown) => handler(request),
          },
        ];
    try {
      for await (const _ of agentOf([fails()], { middleware }).streamEvents(ask, { version: "v2", callbacks }));
    } catch {
      // an unhandled error ends the stream
    }
    expect(verdict(onlySpan())).toEqual(failed("Error"));
    expect(await failures()).toBe(1);
  });

  it("R39: lifecycle hooks are enough for a span", () => {
    const { recorder, onlySpan } = bridge();
    const hooks = new Map<string, (id: string, result?: unknown) => void>([
      ["agent_tool_start", (id) => recorder.onToolStart({ key: id, name: "shell" })],
      ["agent_tool_end", (id, result) => recorder.onToolEnd(id, result)],
    ]);
    hooks.get("agent_tool_start")!("r1");
    hooks.get("agent_tool_end")!("r1", { isError: true, content: [] });
    expect(onlySpan().name).toBe("execute_tool shell");
    expect(verdict(onlySpan())).toEqual(toolError);
  });
});

describe("H: call ids lost, parallel calls mixed", () => {
  it("R48: parallel calls of one tool keep their own ends, ids and arguments", () => {
    const { S, E, X, spans } = bridge({ captureContent: true });
    S("r1", undefined, "c1", { n: 1 });
    S("r2", undefined, "c2", { n: 2 });
    X("r2", new Error("no"));
    E("r1", "one");
    expect(
      spans().map((span) => [
        span.attributes["gen_ai.tool.call.id"],
        span.attributes["gen_ai.tool.call.arguments"],
        verdict(span),
      ]),
    ).toEqual([
      ["c2", '{"n":2}', failed("Error")],
      ["c1", '{"n":1}', succeeded],
    ]);
  });

  it("R50: the call id from whichever side has it, else none", () => {
    const { S, E, spans, verdicts } = bridge();
    S("r1", undefined, "c1");
    E("r1", "fine");
    S("r2");
    E("r2", TM("success"));
    S("r3", undefined, "");
    E("r3", "fine");
    expect(spans().map(({ attributes }) => attributes["gen_ai.tool.call.id"])).toEqual(["c1", "c1", undefined]);
    expect(spans()[2]!.attributes).not.toHaveProperty("gen_ai.tool.call.id");
    expect(verdicts()).toEqual([succeeded, succeeded, succeeded]);
  });

  it("R52: interleaved runs of two callers stay under their own parents", () => {
    const { S, E, spans } = bridge();
    S("p1");
    S("p2");
    S("r1", "p1");
    S("r2", "p2");
    E("r1");
    S("r3", "p1");
    for (const run of ["r2", "r3", "p1", "p2"]) E(run);
    const byId = new Map(spans().map((span) => [span.spanContext().spanId, span]));
    const traces = spans().map((span) => span.spanContext().traceId);
    const [r1, r2, r3, p1, p2] = traces;
    expect([r1, r2, r3]).toEqual([p1, p2, p1]);
    expect(spans().filter(({ parentSpanContext }) => byId.has(parentSpanContext?.spanId ?? ""))).toHaveLength(3);
  });
});

describe("I: duplicate spans", () => {
  it("R55: two handlers, one span", async () => {
    const providers = traced();
    const [one, two] = [watched({}, providers), watched({}, providers)];
    for (const { recorder } of [one, two]) recorder.onToolStart({ key: "r1", name: "t" });
    for (const { recorder } of [one, two]) recorder.onToolEnd("r1", TM("error"));
    expect(providers.spans().map(verdict)).toEqual([toolError]);
    expect(await providers.failures()).toBe(1);
  });
});

describe("J: serialisation and size", () => {
  it("R56: circular arguments and results", () => {
    const value: Record<string, unknown> = { kept: 1 };
    value["self"] = value;
    const { S, E, onlySpan } = bridge({ captureContent: true });
    S("r1", undefined, undefined, value);
    E("r1", value);
    const json = '{"kept":1,"self":"[circular]"}';
    expect(onlySpan().attributes).toMatchObject({
      "gen_ai.tool.call.arguments": json,
      "gen_ai.tool.call.result": json,
    });
    expect(verdict(onlySpan())).toEqual(succeeded);
  });

  it("R59: odd results; only the flagged one is an error", () => {
    const { S, E, verdicts, spans } = bridge({ captureContent: true });
    const values = [
      undefined,
      null,
      0,
      { content: undefined },
      { isError: true },
      TM("success", [{ type: "text", text: "a" }]),
    ];
    for (const [index, value] of values.entries()) {
      S(`r${index}`);
      E(`r${index}`, value);
    }
    expect(verdicts()).toEqual(values.map((_, index) => (index === 4 ? toolError : succeeded)));
    const results = spans().map(({ attributes }) => attributes["gen_ai.tool.call.result"]);
    expect(results).toEqual([undefined, "null", "0", "{}", undefined, '[{"type":"text","text":"a"}]']);
  });
});

describe("K: error detail", () => {
  it("R61: never empty, never [object Object]", () => {
    const { S, X, spans } = bridge();
    const errors = [
      Object.assign(new Error(""), { name: "ExecutionError" }),
      { code: "E1", detail: "d" },
      "plain string",
      undefined,
    ];
    for (const [index, error] of errors.entries()) {
      S(`r${index}`);
      X(`r${index}`, error);
    }
    expect(spans().map(({ status, attributes }) => [attributes["error.type"], status.message])).toEqual([
      ["ExecutionError", "ExecutionError"],
      ["E1", '{"code":"E1","detail":"d"}'],
      ["_OTHER", "plain string"],
      ["_OTHER", "threw undefined"],
    ]);
  });

  it("R63: the tool's own words; a fixed sentence only without them", () => {
    const { S, E, spans } = bridge();
    for (const content of ["File missing: a.txt", ""]) {
      S(content);
      E(content, { type: "tool_result", tool_use_id: "u", is_error: true, content });
    }
    expect(spans().map(({ status }) => status.message)).toEqual(["File missing: a.txt", "tool call failed"]);
  });
});

describe("L: secrets", () => {
  it("R64: content off covers arguments, result and texts", () => {
    const { S, E, onlySpan } = bridge({ captureContent: false });
    S("r1", undefined, "c1", { password: "p" });
    E("r1", TM("success", "secret"));
    expect(JSON.stringify([onlySpan().attributes, onlySpan().events, onlySpan().status])).not.toMatch(
      /"p"|secret|password/,
    );
    expect(verdict(onlySpan())).toEqual(succeeded);
  });

  it("R66: outputs off, and still a bounded, masked reason", () => {
    const { S, E, onlySpan } = bridge();
    S("r1");
    E("r1", TM("error", `refused: Bearer abcdef1234567890 ${"x".repeat(3000)}`));
    expect(onlySpan().status.message).toMatch(/^refused: Bearer \*\*\* x+…$/);
    expect(onlySpan().status.message!.length).toBeLessThanOrEqual(256);
    expect(onlySpan().attributes).not.toHaveProperty("gen_ai.tool.call.result");
  });

  it("R68: masked by the key's name, whoever the vendor is", () => {
    const { S, E, onlySpan } = bridge({ captureContent: true });
    S("r1", undefined, undefined, { tavily_api_key: "tvly-x", note: "ok" });
    E("r1");
    expect(onlySpan().attributes["gen_ai.tool.call.arguments"]).toBe('{"tavily_api_key":"***","note":"ok"}');
  });
});

describe("M: the handler breaks or leaks", () => {
  it("R69: a tracer that throws does not reach the agent", async () => {
    const boom = (): never => {
      throw new Error("invariant");
    };
    const handler = new ToolspanHandler({ tracerProvider: { getTracer: () => ({ startSpan: boom }) as never } });
    const run = async (callbacks: ToolspanHandler[]) =>
      (await agentOf([fails()]).invoke(ask, { callbacks })).messages.map(
        (message: { content: unknown }) => message.content,
      );
    expect(await run([handler])).toEqual(await run([]));
    expect(lines.splice(0)).toHaveLength(1);
  });

  it("R71: after many runs only the open ones are held, and those are bounded", async () => {
    const { recorder, spans, counts } = bridge({ limits: { openRuns: 50 } });
    for (let run = 0; run < 10_000; run++) {
      recorder.onToolStart({ key: `r${run}`, name: "t" });
      if (run % 100 !== 0) recorder.onToolEnd(`r${run}`, "fine");
    }
    const closed = spans().filter((span) => verdict(span).outcome === "abandoned").length;
    expect([spans().length, closed]).toEqual([9951, 51]); // 49 are open, and a start always finds room
    recorder.shutdown();
    expect(spans()).toHaveLength(10_000);
    expect((await counts()).map(({ count }) => count)).toEqual([9900, 100]);
  });

  it("R73: a background run that ends after its parent keeps its status and its parent", () => {
    const { PS, S, PE, E, spans, verdicts } = bridge();
    S("p");
    PS("chain", "p");
    S("r1", "chain");
    PE("chain");
    E("p", "fine");
    E("r1", TM("error"));
    expect(verdicts()).toEqual([succeeded, toolError]);
    expect(spans()[1]!.parentSpanContext?.spanId).toBe(spans()[0]!.spanContext().spanId);
    expect(spans().map(({ status }) => status.code)).toEqual([SpanStatusCode.UNSET, SpanStatusCode.ERROR]);
  });
});
