import { ToolInputParsingException } from "@langchain/core/tools";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { parse } from "zod/v4/core";
import { isSchemaError } from "../../src/errors/schema-error.ts";

function thrownBy(step: () => unknown): unknown {
  try {
    step();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

/** The error as a bundler leaves it that shortens the names of classes. */
const shortened = new (class a extends Error {
  override name = "ZodError";
  issues = [];
})("no");

describe("a schema error", () => {
  it.each([
    ["of Zod 4", thrownBy(() => z.string().parse(1))],
    ["of Zod 4's core", thrownBy(() => parse(z.string(), 1))],
    ["of Zod 3", thrownBy(() => z3.string().parse(1))],
    ["of Zod in a bundle", shortened],
    ["of LangChain", new ToolInputParsingException("no", "1")],
  ])("is one %s", (_title, error) => {
    expect(isSchemaError(error)).toBe(true);
  });

  it.each([
    ["has only the name", Object.assign(new Error("no"), { name: "ZodError" })],
    ["has issues of another kind", Object.assign(new Error("no"), { name: "TriageError", issues: [] })],
    ["is a text", "ZodError"],
    ["is nothing", undefined],
  ])("is none that %s", (_title, error) => {
    expect(isSchemaError(error)).toBe(false);
  });
});
