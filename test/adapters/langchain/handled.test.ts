import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { handleErrors } from "../../../src/adapters/langchain-errors.ts";
import { ToolException } from "../../../src/index.ts";
import { makeTool, toolCall } from "../../support/agent.ts";
import { all, throwing } from "../../support/invoked.ts";
import { unwatch, watched } from "../../support/judged.ts";
import { failed, useContextManager, verdict } from "../../support/traced.ts";

beforeAll(useContextManager);
afterEach(unwatch);

const failing = throwing(new ToolException("no"));
const refusing = makeTool(() => "ran");
const listener = { name: "own", handleToolStart() {} };
const withoutId = { name: "t", args: { q: 1 }, type: "tool_call" };

describe.each(["wrap", "handler", "both"] as const)("a handled error is one failed span: %s", (mode) => {
  it.each([
    ["thrown, without a call id", failing, { q: "x" }, "ToolException"],
    ["thrown, with one", failing, toolCall("t"), "ToolException"],
    ["refused, without a call id", refusing, { q: 1 }, "invalid_arguments"],
    ["refused, with a tool call that has none", refusing, withoutId, "invalid_arguments"],
    ["refused, with one", refusing, toolCall("t", { q: 1 }), "invalid_arguments"],
  ])("%s", async (_title, tool, input, type) => {
    for (const policy of [all, {}]) {
      for (const own of [[], [listener]]) {
        const { callbacks, spans, finish } = watched(mode);
        const listening = [...callbacks, ...own] as never[];
        const config = listening.length > 0 ? { callbacks: listening } : {};
        await Promise.allSettled([handleErrors(tool, policy).invoke(input as never, config)]);
        finish();
        expect(spans().map(verdict)).toEqual([failed(type)]);
        unwatch();
      }
    }
  });
});
