import { DynamicStructuredTool, StructuredTool, tool } from "@langchain/core/tools";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { handleErrors } from "../../src/adapters/langchain-errors.ts";
import { ToolException } from "../../src/index.ts";
import { knownFailure } from "../../src/span/known-failures.ts";
import { makeTool, schema, toolCall } from "../support/agent.ts";
import { all, invoke, knownFailures, throwing } from "../support/invoked.ts";
import { handled as listening } from "../support/handled.ts";
import { said } from "../support/said.ts";
import { failed, useContextManager, verdict } from "../support/traced.ts";

beforeAll(useContextManager);
beforeEach(() => knownFailures().clear());
const lines = said();

const failing = throwing(new ToolException("no"));

describe("the failure that only the policy knows", () => {
  it("is told to the handlers of every tracer provider", async () => {
    const [one, two] = [listening(), listening()];
    const callbacks = [one.handler, two.handler] as never;
    expect(await handleErrors(failing, all).invoke({ q: "x" }, { callbacks })).toBe("no");
    expect([verdict(one.onlySpan()), verdict(two.onlySpan())]).toEqual([
      failed("ToolException"),
      failed("ToolException"),
    ]);
  });

  it("is that of its own run, among many at once and in one another", async () => {
    const inner = handleErrors(
      tool(
        async ({ q }) => {
          await new Promise((resolve) => setTimeout(resolve, Number(q) % 3));
          if (Number(q) % 2) throw new ToolException(`odd ${q}`);
          return `even ${q}`;
        },
        { name: "inner", schema },
      ),
      all,
    );
    const outer = handleErrors(
      makeTool(({ q }, config) => inner.invoke({ q }, { callbacks: config.callbacks! })),
      all,
    );
    const test = listening();
    const numbers = Array.from({ length: 500 }, (_, index) => String(index));
    await Promise.all(numbers.map((q) => outer.invoke({ q }, test.config)));
    const ended = test.spans().map((span) => [span.name, span.status.message ?? ""] as const);
    expect(ended.filter(([name, words]) => name === "execute_tool inner" && words !== "")).toHaveLength(250);
    expect(ended.filter(([name, words]) => name === "execute_tool t" && words !== "")).toEqual([]);
    expect(ended).toHaveLength(1000);
  });

  it("is not lost with the start of a run that LangChain cannot serialize", async () => {
    const subject = tool(() => Promise.reject(new ToolException("no")), {
      name: "t",
      schema: z.object({ q: z.bigint() }),
    });
    const { value, verdict: got } = await invoke(handleErrors(subject, all), { q: 1n });
    expect([value, got]).toEqual(["no", failed("ToolException")]);
  });

  it("leaves nothing behind, with handlers and without", async () => {
    const handled = handleErrors(failing, all);
    await invoke(handled);
    await handled.invoke({ q: "x" });
    await handled.invoke(toolCall("t"));
    await Promise.allSettled([handleErrors(throwing(new Error("no")), all).invoke({ q: 1 } as never)]);
    expect(knownFailures().size).toBe(0);
  });

  it("leaves nothing behind where a class tries again", async () => {
    class Retrying extends DynamicStructuredTool {
      override async call(...given: Parameters<DynamicStructuredTool["call"]>): Promise<never> {
        await super.call(...given);
        return (await super.call(...given)) as never;
      }
    }
    const func = async (): Promise<string> => {
      throw new ToolException("no");
    };
    const test = listening();
    await handleErrors(new Retrying({ name: "t", description: "d", schema, func }), all).invoke(
      { q: "x" },
      test.config,
    );
    expect(test.spans().map(verdict)).toEqual([failed("ToolException"), failed("ToolException")]);
    expect(knownFailures().size).toBe(0);
  });

  it("is known by the run's config where nobody listens, and the run has no id", async () => {
    let config: object = {};
    let known: unknown;
    class Asking extends StructuredTool {
      name = "t";
      description = "d";
      schema = schema;
      override async call(...given: Parameters<StructuredTool["call"]>): Promise<never> {
        const told: unknown = await super.call(...given);
        known = knownFailure(config);
        return told as never;
      }
      async _call(_args: unknown, _runManager: unknown, runConfig: object): Promise<string> {
        config = runConfig;
        throw new ToolException("no");
      }
    }
    expect(await handleErrors(new Asking(), all).invoke({ q: "x" })).toBe("no");
    expect(known).toMatchObject({ kind: "error", type: "ToolException", message: "no" });
    expect(knownFailures().size).toBe(0);
  });

  it("is nobody's where `_call` is called by hand: the answer is the content, and nothing is left behind", async () => {
    const handled = handleErrors(failing, all) as unknown as { _call(args: unknown): Promise<unknown> };
    expect(await handled._call({ q: "x" })).toBe("no");
    expect(knownFailures().size).toBe(0);
  });

  it("says nothing to diag", async () => {
    await invoke(handleErrors(failing, all));
    await invoke(handleErrors(failing, all), { q: 1 });
    expect(lines).toEqual([]);
  });
});
