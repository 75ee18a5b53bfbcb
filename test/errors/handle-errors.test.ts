import type { ToolMessage } from "@langchain/core/messages";
import { DynamicStructuredTool, DynamicTool, StructuredTool, tool } from "@langchain/core/tools";
import { interrupt, MemorySaver } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { type ErrorPolicy, type HandleableTool, handleErrors } from "../../src/adapters/langchain-errors.ts";
import { ToolError, ToolException } from "../../src/index.ts";
import { agentOf, ask, asks, makeTool, mcpTools, schema, toolCall } from "../support/agent.ts";
import { all, invoke, throwing } from "../support/invoked.ts";
import { handled as listening } from "../support/handled.ts";
import { said } from "../support/said.ts";
import { failed, succeeded, unfailed, useContextManager, verdict } from "../support/traced.ts";
import { watched } from "../support/watched.ts";

beforeAll(useContextManager);
said();

const failing = throwing(new ToolException("no"));

describe("the tool", () => {
  it("that is given stays as it is; the one in its place is the same to LangChain", async () => {
    const handled = handleErrors(failing, all);
    expect(handled).toBeInstanceOf(StructuredTool);
    expect([handled.name, handled.description, handled.schema]).toEqual(["t", "d", schema]);
    expect(handled.schema).toBe(failing.schema);
    expect(await handled.invoke({ q: "x" })).toBe("no");
    await expect(failing.invoke({ q: "x" })).rejects.toThrow("no");
  });

  it("may be of a class with private state, of a string, of a JSON schema, of Zod 3, or a generator", async () => {
    class Search extends StructuredTool {
      name = "search";
      description = "d";
      schema = schema;
      #calls = 0;
      async _call(): Promise<string> {
        throw new ToolException(`call ${++this.#calls}`);
      }
    }
    const fails = async (): Promise<string> => {
      throw new ToolException("no");
    };
    const json = { type: "object", properties: { q: { type: "string" } }, required: ["q"] } as const;
    const zod3 = z3.object({ q: z3.string() });
    const subjects: readonly [HandleableTool, string][] = [
      [new Search(), "call 1"],
      [new DynamicTool({ name: "t", description: "d", func: fails }), "no"],
      [tool(fails, { name: "t", schema: json }), "no"],
      [tool(fails, { name: "t", schema: zod3 as never }), "no"],
    ];
    for (const [subject, told] of subjects) {
      const { value, verdict: got } = await invoke(handleErrors(subject, all));
      expect([value, got]).toEqual([told, failed("ToolException")]);
    }
  });

  it("may be a generator: its events arrive, and what it throws on the way is handled", async () => {
    const handled = handleErrors(
      tool(
        async function* () {
          yield "half way";
          throw new ToolException("no");
        },
        { name: "t", schema },
      ),
      all,
    );
    const events: unknown[] = [];
    const test = listening();
    const listener = { handleToolEvent: (chunk: unknown) => void events.push(chunk) };
    const value = await handled.invoke(toolCall("t"), { callbacks: [test.handler, listener] as never });
    expect([events, (value as ToolMessage).status]).toEqual([["half way"], "error"]);
    expect(verdict(test.onlySpan())).toEqual(failed("ToolException"));
  });

  it("that succeeds is not touched: same value, same callbacks, same parsed arguments", async () => {
    const seen: unknown[] = [];
    const convert = z.object({ q: z.string().transform((text) => text.length) });
    const plain = tool(
      async (input) => {
        seen.push(input);
        return { size: input.q };
      },
      { name: "t", schema: convert },
    );
    const told = async (subject: typeof plain) => {
      const names: unknown[] = [];
      const listener = {
        handleToolStart: (_tool: unknown, input: string) => void names.push(["start", input]),
        handleToolEnd: (output: unknown) => void names.push(["end", output]),
        handleToolError: (error: unknown) => void names.push(["error", error]),
      };
      return [await subject.invoke({ q: "four" }, { callbacks: [listener] as never }), names, seen.pop()];
    };
    expect(await told(handleErrors(plain, all))).toEqual(await told(plain));
    expect((await invoke(handleErrors(plain, all))).verdict).toEqual(succeeded);
  });

  it("of a JSON schema that succeeds runs once", async () => {
    let runs = 0;
    const json = { type: "object", properties: { q: { type: "string" } }, required: ["q"] } as const;
    const { value, verdict: got } = await invoke(
      handleErrors(
        tool(() => ++runs, { name: "t", schema: json }),
        all,
      ),
    );
    expect([value, runs, got]).toEqual([1, 1, succeeded]);
  });

  it("called by the old call() with a tool call answers with its id", async () => {
    const test = listening();
    const value: unknown = await handleErrors(failing, all).call(toolCall("t", { q: "x" }, "call_7"), test.config);
    expect(value).toMatchObject({ status: "error", tool_call_id: "call_7", content: "no" });
    expect(verdict(test.onlySpan())).toEqual(failed("ToolException"));
  });

  it("of @langchain/mcp-adapters throws ToolExceptions of its own, which are handled", async () => {
    const failingMcp = (await mcpTools()).find(({ name }) => name === "is_error")!;
    const { value, verdict: got } = await invoke(handleErrors(failingMcp, all));
    expect(value).toContain("upstream 503");
    expect(got).toEqual(failed("ToolException"));
  });
});

describe("what is thrown while the arguments are converted", () => {
  const converting = (error: unknown) => {
    const convert = (text: string): string => {
      if (text === "bad") throw error;
      return text;
    };
    const subjects = {
      transform: z.object({ q: z.string().transform(convert) }),
      refine: z.object({ q: z.string().refine(convert) }),
      "async refine": z.object({ q: z.string().refine(async (text) => convert(text)) }),
      "transform in Zod 3": z3.object({ q: z3.string().transform(convert) }),
    };
    return Object.entries(subjects).map(
      ([name, form]) => [name, tool(() => "ran", { name: "t", schema: form as typeof schema })] as const,
    );
  };

  it.each(converting(new ToolException("no such city")))(
    "a ToolException counts like one of the body: %s",
    async (_, t) => {
      const handled = await invoke(handleErrors(t, { handleToolError: true }), { q: "bad" });
      expect([handled.value, handled.verdict]).toEqual(["no such city", failed("ToolException")]);
      const unhandled = await invoke(handleErrors(t, { handleValidationError: true }), { q: "bad" });
      expect([ToolException.is(unhandled.error), unhandled.verdict]).toEqual([true, failed("ToolException")]);
    },
  );

  const fault = new RangeError("bug");
  it.each(converting(fault))("any other error is thrown on, and nothing stays open: %s", async (_, t) => {
    const { error, verdict: got } = await invoke(handleErrors(t, all), { q: "bad" });
    expect([error, got]).toEqual([fault, failed("RangeError")]);
  });
});

describe("refused arguments", () => {
  const json = { type: "object", properties: { q: { type: "string" } }, required: ["q"] } as const;
  const subjects = {
    "Zod 4": schema,
    "Zod 3": z3.object({ q: z3.string() }) as never,
    "JSON schema": json as never,
  };
  it.each(Object.entries(subjects))(
    "%s: told in the policy's words, thrown on in LangChain's",
    async (_title, form) => {
      for (const verboseParsingErrors of [false, true]) {
        const plain = tool(() => "ran", { name: "t", schema: form, verboseParsingErrors });
        const told = await invoke(handleErrors(plain, { handleValidationError: true }), { q: 1 });
        expect([told.value, told.verdict]).toEqual(["Tool input validation error", failed("invalid_arguments")]);
        const thrown = await invoke(handleErrors(plain, { handleToolError: true }), { q: 1 });
        const [original] = await Promise.allSettled([plain.invoke({ q: 1 } as never)]);
        expect(thrown.error).toStrictEqual((original as PromiseRejectedResult).reason);
        expect(thrown.verdict).toEqual(failed("invalid_arguments"));
      }
    },
  );

  it("are one call to a tracer that wraps StructuredTool.call", async () => {
    const original = StructuredTool.prototype.call;
    const { recorder, spans } = watched();
    StructuredTool.prototype.call = function (this: StructuredTool, ...given: never[]) {
      return recorder.run({ name: this.name }, () => (original as (...all: never[]) => never).apply(this, given));
    } as never;
    try {
      const subject = handleErrors(
        makeTool(() => "ran"),
        {},
      );
      await expect(subject.invoke({ q: 1 } as never)).rejects.toThrow("did not match");
    } finally {
      StructuredTool.prototype.call = original;
    }
    expect(spans()).toHaveLength(1);
  });

  it("give a function LangChain's error", async () => {
    const policy: ErrorPolicy = { handleValidationError: (error) => `${error.constructor.name}: ${error.message}` };
    const { value } = await invoke(
      handleErrors(
        makeTool(() => "ran"),
        policy,
      ),
      { q: 1 },
    );
    expect(value).toMatch(/^ToolInputParsingException: Received tool input did not match expected schema/);
  });

  it("a schema error of the body counts as one, but the call's arguments were not refused", async () => {
    const subject = makeTool(() => z.object({ n: z.number() }).parse({ n: "x" }));
    for (const policy of [all, {}]) {
      expect((await invoke(handleErrors(subject, policy))).verdict).toEqual(failed("ZodError"));
    }
    expect((await invoke(handleErrors(subject, all))).value).toBe("Tool input validation error");
  });

  it("a schema error of the body that only has the name is not one", async () => {
    const error = Object.assign(new Error("no"), { name: "ZodError" });
    const { error: thrown, verdict: got } = await invoke(handleErrors(throwing(error), all));
    expect([thrown, got]).toEqual([error, failed("ZodError")]);
  });
});

describe("a ToolError", () => {
  it.each([
    ["message", ToolError.message("no such city"), "no such city", "ToolError"],
    ["json", ToolError.json({ code: "E_CITY", city: "X" }), { code: "E_CITY", city: "X" }, "E_CITY"],
    ["json without a code", ToolError.json(["X"]), ["X"], "ToolError"],
    ["timeout", ToolError.timeout(50), "tool execution timed out after 50ms", "timeout"],
  ])("%s is told to the model", async (_title, error, told, type) => {
    const { value, verdict: got } = await invoke(handleErrors(throwing(error), all));
    expect([value, got]).toEqual([told, failed(type)]);
  });

  it("cancelled is thrown on whatever the policy, and is no failure, in a graph and outside", async () => {
    const error = ToolError.cancelled();
    const handled = handleErrors(throwing(error), { handleToolError: () => "told" });
    const outside = await invoke(handled);
    expect([outside.error, outside.verdict]).toEqual([error, unfailed("cancelled")]);
    const test = listening();
    await agentOf([handled]).invoke(ask, test.config);
    expect(verdict(test.onlySpan())).toEqual(unfailed("cancelled"));
  });
});

describe("what is never handled", () => {
  it("the caller's stop, though the tool made a ToolException of it", async () => {
    const controller = new AbortController();
    const stopped = new ToolException("Error calling tool t: AbortError: This operation was aborted");
    const func = async (): Promise<string> => {
      controller.abort();
      throw stopped;
    };
    const subject = new DynamicStructuredTool({ name: "t", description: "d", schema, func });
    const { error, value } = await invoke(handleErrors(subject, all), { q: "x" }, { signal: controller.signal });
    expect([value, error]).toEqual([undefined, stopped]);
  });

  it("an interrupt: the human is asked", async () => {
    const handled = handleErrors(
      makeTool(() => interrupt("really?")),
      all,
    );
    const test = listening();
    const config = { ...test.config, configurable: { thread_id: "1" } };
    const state = await agentOf([handled], { checkpointer: new MemorySaver() }).invoke(ask, config);
    expect(state).toHaveProperty("__interrupt__");
    expect(verdict(test.onlySpan())).toEqual(unfailed("interrupted"));
  });

  it("ls1intum/edutelligence#1086: an error that ends the agent ends the run, once", async () => {
    const error = new RangeError("bug");
    const node = new ToolNode([handleErrors(throwing(error), all)], { handleToolErrors: false });
    const test = listening();
    await expect(node.invoke([asks(toolCall("t"))], test.config)).rejects.toBe(error);
    test.handler.shutdown();
    expect(verdict(test.onlySpan())).toEqual(failed("RangeError"));
  });
});

it("a handler may answer later", async () => {
  const policy: ErrorPolicy = { handleToolError: async (error) => Promise.resolve(`later: ${error.message}`) };
  const { value, verdict: got } = await invoke(handleErrors(failing, policy));
  expect([value, got]).toEqual(["later: no", failed("ToolException")]);
});
