import { describe, expect, it } from "vitest";
import { z } from "zod";
import { handleErrors, type ErrorPolicy } from "../../src/adapters/langchain-errors.ts";
import { ToolException } from "../../src/index.ts";
import { makeTool } from "../support/agent.ts";
import { all, invoke, throwing } from "../support/invoked.ts";
import { failed } from "../support/traced.ts";

const failing = throwing(new ToolException("no"));

describe("what cannot work throws when the tool is made", () => {
  it.each([
    ["no policy", () => handleErrors(failing, undefined as never), "takes { handleToolError, handleValidationError }"],
    ["null as the policy", () => handleErrors(failing, null as never), "takes { handleToolError"],
    [
      "an unknown setting",
      () => handleErrors(failing, { handleToolErrors: true } as never),
      'has no setting "handleToolErrors"; it has handleToolError and handleValidationError',
    ],
    ["what is no tool", () => handleErrors({ name: "t" } as never, all), "takes a tool of tool()"],
    ["a function", () => handleErrors((() => "ran") as never, all), "takes a tool of tool()"],
    [
      "what only has a `_call`, as models do",
      () => handleErrors({ _call() {} } as never, all),
      "takes a tool of tool()",
    ],
    ["a tool of runnable.asTool()", () => handleErrors(asTool() as never, all), "takes a tool of tool()"],
    ["a tool that is handled already", () => handleErrors(handleErrors(failing, all), all), "give all settings in one"],
    [
      "a tool that another copy of the library handles",
      () => handleErrors(Object.assign(throwing("no"), { [Symbol.for("toolspan.handled-errors")]: true }), all),
      "give all settings in one",
    ],
  ])("%s", (_title, make, words) => {
    expect(make).toThrow(TypeError);
    expect(make).toThrow(/^toolspan: /);
    expect(make).toThrow(words);
  });

  function asTool() {
    return makeTool(() => "x")
      .withConfig({})
      .asTool({ name: "t", schema: z.object({ q: z.string() }) as never });
  }
});

describe("te_invalid_flag, te_invalid_flag_ctor", () => {
  it.each([[123], [[1]], [null], [{}], [Symbol("no")]])("%s is refused when the tool is made", (setting) => {
    for (const name of ["handleToolError", "handleValidationError"]) {
      const make = () => handleErrors(failing, { [name]: setting } as ErrorPolicy);
      expect(make).toThrow(`toolspan: ${name} must be a boolean, a string or a function`);
      expect(make).toThrow(TypeError);
    }
  });
});

describe("handleToolError", () => {
  it.each<[string, ErrorPolicy["handleToolError"], unknown]>([
    ["true tells the error's own words", true, "no"],
    ["a text is told instead of them", "Try another source", "Try another source"],
    ["a function says what is told", (error) => `failed: ${error.message}`, "failed: no"],
  ])("%s", async (_title, handleToolError, told) => {
    const { value, verdict } = await invoke(handleErrors(failing, { handleToolError }));
    expect([value, verdict]).toEqual([told, failed("ToolException")]);
  });

  it.each([[false], [undefined], [""]])("%j throws the error on", async (handleToolError) => {
    const { error, verdict } = await invoke(handleErrors(failing, { handleToolError }));
    expect([ToolException.is(error), verdict]).toEqual([true, failed("ToolException")]);
  });
});
