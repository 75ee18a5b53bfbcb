import { readFileSync } from "node:fs";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { classify, ToolError, ToolException } from "../../src/index.ts";
import { failed, unfailed, verdict } from "../support/traced.ts";
import { watched } from "../support/watched.ts";

const meaning = (error: unknown, signal?: AbortSignal) => classify({ kind: "threw", error }, [], { signal });

/** The error as another copy of the library, or a later version of it, makes it. */
const foreign = (fields: object, error: Error = new Error("no")) =>
  Object.assign(error, { [Symbol.for("toolspan.ToolError")]: true, ...fields });

/** The span that a recorder makes when the error is thrown. */
function spanOf(error: unknown) {
  const { recorder, onlySpan } = watched();
  try {
    recorder.run({ name: "t" }, () => {
      throw error;
    });
  } catch {
    // it passes on; looked at is the span
  }
  return onlySpan();
}

describe("ToolError", () => {
  const kinds = [
    ["message", ToolError.message("no such city"), "ToolError", "no such city", failed("ToolError")],
    ["json", ToolError.json({ code: "E_CITY" }), "ToolError", '{"code":"E_CITY"}', failed("E_CITY")],
    ["json", ToolError.json(null, { message: "no such city" }), "ToolError", "no such city", failed("ToolError")],
    ["json", ToolError.json({ code: "no such city" }), "ToolError", '{"code":"no such city"}', failed("ToolError")],
    ["timeout", ToolError.timeout(50), "TimeoutError", "tool execution timed out after 50ms", failed("timeout")],
    ["cancelled", ToolError.cancelled(), "AbortError", "tool execution cancelled", unfailed("cancelled")],
  ] as const;

  it.each(kinds)("%s: %s", (kind, error, name, message, wanted) => {
    expect(error).toMatchObject({ kind, name, message });
    expect([ToolError.is(error), error instanceof ToolError, error instanceof Error]).toEqual([true, true, true]);
    expect(error.isCancelled).toBe(kind === "cancelled");
    expect(error.stack).toContain("tool-error.test.ts");
    const span = spanOf(error);
    expect(verdict(span)).toEqual(wanted);
    expect(span.status.message).toBe(wanted.status === "ERROR" ? message : undefined);
  });

  it("of kind json has no words for what has no JSON", () => {
    expect(ToolError.json(undefined)).toMatchObject({ kind: "json", message: "" });
  });

  it("holds only what its kind has", () => {
    expect({ ...ToolError.message("no") }).toEqual({ kind: "message" });
    expect({ ...ToolError.json([1]) }).toEqual({ kind: "json", value: [1] });
    expect({ ...ToolError.timeout(50) }).toEqual({ kind: "timeout", timeoutMs: 50, name: "TimeoutError" });
    expect("cause" in ToolError.message("no")).toBe(false);
    expect(inspect(ToolError.message("no"))).toMatch(/^ToolError: no/);
  });

  it("keeps its chain of causes, and the span shows it", () => {
    const root = new Error("connect ECONNREFUSED");
    const cause = new Error("upstream is down", { cause: root });
    for (const error of [
      ToolError.message("no weather", { cause }),
      ToolError.message("no weather").withCause(cause),
    ]) {
      expect(error.cause).toBe(cause);
      expect(spanOf(error).status.message).toBe("no weather; cause: upstream is down; cause: connect ECONNREFUSED");
    }
    for (const error of [
      ToolError.json(1, { cause }),
      ToolError.timeout(1, { cause }),
      ToolError.cancelled({ cause }),
    ]) {
      expect(error.cause).toBe(cause);
    }
  });

  it("withCause makes another message, and leaves every other kind as it is", () => {
    const message = ToolError.message("no");
    const withCause = message.withCause("why");
    expect([message.cause, withCause.cause, withCause.stack]).toEqual([undefined, "why", message.stack]);
    for (const error of [ToolError.json(1), ToolError.timeout(1), ToolError.cancelled()]) {
      expect(error.withCause("why")).toBe(error);
      expect(error.cause).toBeUndefined();
    }
  });

  it.each([
    ["an error", new TypeError("no such city"), "no such city"],
    ["an error without words", new TypeError(), "TypeError"],
    ["an error with a cause, which stays the cause's", new Error("no", { cause: new Error("why") }), "no"],
    ["a string", "no such city", "no such city"],
    ["a string of two lines", "no such\ncity", "no such\ncity"],
    ["an object", { reason: "no" }, '{"reason":"no"}'],
    ["nothing", undefined, "threw undefined"],
  ])("from %s takes its text", (_title, thrown, message) => {
    const error = ToolError.from(thrown);
    expect([error.kind, error.message, error.cause]).toEqual(["message", message, thrown]);
  });

  it("from a ToolError, of whichever copy, is that error", () => {
    const own = ToolError.timeout(1);
    const other = foreign({ kind: "json", value: 1 });
    expect([ToolError.from(own), ToolError.from(other)]).toEqual([own, other]);
    expect(ToolError.from(other)).toBe(other);
  });

  it("tells the model by toModelOutput, nothing where it was cancelled", () => {
    expect(ToolError.message("no").toModelOutput()).toEqual({ type: "error-text", value: "no" });
    expect(ToolError.json({ a: 1 }).toModelOutput()).toEqual({ type: "error-json", value: { a: 1 } });
    expect(ToolError.timeout(5).toModelOutput()).toEqual({
      type: "error-text",
      value: "tool execution timed out after 5ms",
    });
    expect(ToolError.cancelled().toModelOutput()).toBeUndefined();
  });

  it.each([[undefined], [null], ["ToolError"], [{ name: "ToolError", kind: "json" }], [new Error("no")]])(
    "is not %s",
    (value) => expect(ToolError.is(value)).toBe(false),
  );

  it("of a later version, with a kind that is not known here, is an error like a message", () => {
    const error = foreign({ kind: "quota", name: "ToolError", limit: 5 });
    expect(ToolError.is(error)).toBe(true);
    expect(meaning(error)).toMatchObject({ kind: "error", type: "ToolError", message: "no" });
  });

  it("of another copy is judged by its mark", () => {
    expect(meaning(foreign({ kind: "cancelled" }))).toMatchObject({ kind: "cancelled" });
    expect(meaning(foreign({ kind: "timeout" }))).toMatchObject({ kind: "error", type: "timeout" });
    expect(meaning(foreign({ kind: "json", value: { code: "E1" } }))).toMatchObject({ type: "E1" });
    expect(meaning({ [Symbol.for("toolspan.ToolError")]: "yes", kind: "cancelled" })).toMatchObject({ kind: "error" });
  });

  it("cancelled is cancelled though a signal in sight is not aborted", () => {
    expect(meaning(ToolError.cancelled(), new AbortController().signal)).toMatchObject({ kind: "cancelled" });
    expect(meaning(new DOMException("x", "AbortError"), new AbortController().signal)).toMatchObject({ kind: "error" });
  });
});

describe("ToolException", () => {
  class QuotaException extends ToolException {}

  it.each([
    ["nothing", new ToolException(), [], ""],
    ["undefined", new ToolException(undefined), [], ""],
    ["an empty text", new ToolException(""), [""], ""],
    ["a text", new ToolException("no"), ["no"], "no"],
    ["an object", new ToolException({ code: 503 }), [{ code: 503 }], '{"code":503}'],
    ["null", new ToolException(null), [null], "null"],
  ])("remembers what it was made with: %s", (_title, error, args, message) => {
    expect([error.args, error.message, error.name]).toEqual([args, message, "ToolException"]);
    expect(ToolException.is(error)).toBe(true);
    expect(verdict(spanOf(error))).toEqual(failed("ToolException"));
  });

  it("holds only what it was made with", () => {
    expect({ ...new ToolException("no") }).toEqual({ args: ["no"] });
    expect(inspect(new ToolException("no"))).toMatch(/^ToolException: no/);
  });

  it("a subclass goes by its own name, and keeps its cause", () => {
    const error = new QuotaException("no", { cause: "why" });
    expect([error.name, error.cause, ToolException.is(error)]).toEqual(["QuotaException", "why", true]);
    expect(verdict(spanOf(error))).toEqual(failed("QuotaException"));
    class Named extends ToolException {
      override name = "quota_exceeded";
    }
    expect(verdict(spanOf(new Named()))).toEqual(failed("quota_exceeded"));
  });

  it("is one of another copy, and that of MCP adapters; not whatever has the name", () => {
    const named = Object.assign(new Error("no"), { name: "ToolException" });
    expect(ToolException.is({ [Symbol.for("toolspan.ToolException")]: true })).toBe(true);
    expect(ToolException.is(named)).toBe(true);
    expect(ToolException.is({ name: "ToolException" })).toBe(false);
    expect(ToolException.is(new Error("no"))).toBe(false);
  });
});

it("core knows the mark, and imports nothing of this room", () => {
  const source = readFileSync(new URL("../../src/core/tool-error-brand.ts", import.meta.url), "utf8");
  expect([...source.matchAll(/from "(.*)"/g)].map(([, path]) => path)).toEqual(["./read.ts"]);
});
