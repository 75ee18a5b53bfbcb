/** The failure of a tool whose errors are handled is told alike by the handler, by the wrap alone, and by both. */
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { handleErrors } from "../../src/adapters/langchain-errors.ts";
import { ToolException } from "../../src/index.ts";
import { makeTool, toolCall } from "../support/agent.ts";
import { unwatch, watched } from "../support/judged.ts";
import { said } from "../support/said.ts";
import type { Mode } from "../support/situations.ts";
import { settle } from "../support/situations.ts";
import { failed, useContextManager, verdict } from "../support/traced.ts";

beforeAll(useContextManager);
afterEach(unwatch);
said();

const modes: readonly Mode[] = ["handler", "wrap", "both"];
const throwing = (error: unknown) =>
  makeTool(() => {
    throw error;
  });
const policy = { handleToolError: true, handleValidationError: true };

describe.each(modes)("with %s", (mode) => {
  it.each([
    ["an exception, with a call id", new ToolException("no"), toolCall("t"), failed("ToolException"), true],
    ["an exception, without one", new ToolException("no"), { q: "x" }, failed("ToolException"), true],
    ["refused arguments, with a call id", undefined, toolCall("t", { bad: 1 }), failed("invalid_arguments"), true],
    ["refused arguments, without one", undefined, { bad: 1 }, failed("invalid_arguments"), true],
    ["another error, which is not handled", new RangeError("no"), { q: "x" }, failed("RangeError"), undefined],
  ])("%s", async (_title, error, input, wanted, isHandled) => {
    const { config, onlySpan, failures } = watched(mode);
    const one = handleErrors(throwing(error), policy);
    await settle(() => one.invoke(input as never, config));
    expect(verdict(onlySpan())).toEqual(wanted);
    expect(onlySpan().attributes["toolspan.handled"]).toBe(isHandled);
    expect(await failures()).toBe(1);
  });

  it("a pair that is none, which is thrown", async () => {
    const { config, onlySpan } = watched(mode);
    const one = handleErrors(
      makeTool(() => "no pair", { responseFormat: "content_and_artifact" }),
      policy,
    );
    await settle(() => one.invoke(toolCall("t"), config));
    expect(verdict(onlySpan())).toEqual(failed("invalid_result"));
  });
});
