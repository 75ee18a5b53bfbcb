import { describe, expect, it } from "vitest";
import { causeChain, errorMessage, errorName, errorType } from "../../src/core/describe-error.ts";

class DeclinedError extends Error {}
class Refusal {
  readonly reason = "closed";
}
const named = (name: string, fields: object = {}) => Object.assign(new Error("no"), { name, ...fields });
const hostile = new Proxy(new Error("hidden"), {
  get() {
    throw new Error("trap");
  },
  getPrototypeOf() {
    throw new Error("trap");
  },
  ownKeys() {
    throw new Error("trap");
  },
});
const revoked = (() => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
})();

describe("errorType", () => {
  it.each([
    ["a code", Object.assign(new Error("no"), { code: "ECONNREFUSED" }), "ECONNREFUSED"],
    ["a code on a plain object", { code: "E1", detail: "d" }, "E1"],
    ["an SQLSTATE", Object.assign(new Error("no"), { code: "42P01" }), "42P01"],
    ["a name", named("WeatherError"), "WeatherError"],
    ["a class that kept the name Error", new DeclinedError("no"), "DeclinedError"],
    ["a built-in", new RangeError("no"), "RangeError"],
    ["Error itself", new Error("no"), "Error"],
    ["a DOMException, whose code is a number", new DOMException("no", "DataError"), "DataError"],
    ["a tag", { _tag: "NotFound", message: "" }, "NotFound"],
    ["a class that is no error", new Refusal(), "Refusal"],
    ["a name that is a sentence", named("Failed: order 4711"), "Error"],
    ["a code that is a sentence", Object.assign(new RangeError("no"), { code: "order 4711 failed" }), "RangeError"],
    ["a code longer than 64", Object.assign(new RangeError("no"), { code: "A".repeat(65) }), "RangeError"],
    ["a code of 64", Object.assign(new RangeError("no"), { code: "A".repeat(64) }), "A".repeat(64)],
    ["an empty code and name", Object.assign(named(""), { code: "" }), "Error"],
    ["a numeric code", { code: 42 }, "_OTHER"],
    ["a text", "boom", "_OTHER"],
    ["undefined", undefined, "_OTHER"],
    ["null", null, "_OTHER"],
    ["a plain object", {}, "_OTHER"],
    ["an array", [], "_OTHER"],
    ["a function", () => 1, "_OTHER"],
    ["an object without prototype", Object.create(null), "_OTHER"],
    ["throwing traps", hostile, "_OTHER"],
    ["a revoked proxy", revoked, "_OTHER"],
    ["a frozen look-alike", Object.freeze({ name: "FrozenError", message: "cold" }), "FrozenError"],
  ])("%s", (_title, error, type) => {
    expect(errorType(error)).toBe(type);
  });

  it("tells the class apart from the code", () => {
    expect(errorName(Object.assign(new RangeError("no"), { code: "E1" }))).toBe("RangeError");
    expect(errorName("boom")).toBeUndefined();
  });
});

describe("errorMessage", () => {
  const cyclic = new Error("outer");
  cyclic.cause = new Error("inner", { cause: cyclic });
  const deep = Array.from({ length: 9 }).reduce<Error>(
    (cause, _, depth) => new Error(`e${depth}`, { cause }),
    new Error("root"),
  );

  it.each([
    ["its own words", new Error("boom"), "boom"],
    ["on one line", new Error(" two\n\t lines "), "two lines"],
    ["without stack frames", new Error("bad\n    at run (/srv/app.js:1:2)\n    at /srv/b.js:3\nend"), "bad end"],
    ["a text that was thrown", "plain string", "plain string"],
    ["its causes", new Error("outer", { cause: new Error("inner") }), "outer; cause: inner"],
    ["a cause that is a text", new Error("outer", { cause: "inner" }), "outer; cause: inner"],
    ["a cause it quotes, once", new Error("outer: inner", { cause: new Error("inner") }), "outer: inner"],
    ["a cause that says the same, once", new Error("boom", { cause: new Error("boom") }), "boom"],
    ["only the cause, when it has no words", new Error("", { cause: new Error("inner") }), "inner"],
    ["a cycle, once round", cyclic, "outer; cause: inner"],
    ["six links of a long chain", deep, "e8; cause: e7; cause: e6; cause: e5; cause: e4; cause: e3"],
    [
      "the first errors of many",
      new AggregateError([new Error("a"), "b", new Error("c"), new Error("d")], "all failed"),
      "all failed; cause: a; cause: b; cause: c",
    ],
    ["its name, for want of words", named("WeatherError", { message: "" }), "WeatherError"],
    ["its code, for want of words", Object.assign(new Error(""), { code: "E1" }), "E1"],
    ["Error, for want of anything", new Error(""), "Error"],
    ["JSON of a plain object", { code: "E1", detail: "d" }, '{"code":"E1","detail":"d"}'],
    ["a message that is no text, as JSON", { message: { a: 1 } }, '{"message":{"a":1}}'],
    ["an empty text", "", "threw an empty string"],
    ["undefined", undefined, "threw undefined"],
    ["null", null, "threw null"],
    ["a number", 42, "threw 42"],
    ["a symbol", Symbol("s"), "threw Symbol(s)"],
    ["a BigInt", 7n, "threw 7"],
    ["an empty object", {}, "threw an object"],
    ["an empty object of a class", new (class Refused {})(), "threw Refused"],
    ["an object without prototype", Object.create(null), "threw an object"],
    ["throwing traps", hostile, "threw an object"],
    ["a revoked proxy", revoked, "threw an object"],
    ["a tagged error", { _tag: "NotFound", message: "" }, '{"_tag":"NotFound","message":""}'],
    ["a frozen look-alike", Object.freeze({ name: "FrozenError", message: "cold" }), "cold"],
  ])("%s", (_title, error, message) => {
    expect(errorMessage(error)).toBe(message);
  });

  it("looks at no more than the beginning of a huge message", () => {
    expect(errorMessage(new Error("x".repeat(5_000_000))).length).toBeLessThan(10_000);
  });
});

describe("causeChain", () => {
  it("ends at null and undefined", () => {
    const error = Object.assign(new Error("no"), { cause: null });
    expect(causeChain(error)).toEqual([error]);
    expect(causeChain(undefined)).toEqual([undefined]);
    const alone = new Error("no");
    expect(causeChain(alone)).toEqual([alone]);
  });

  it("goes round a cycle once", () => {
    const outer = new Error("outer");
    outer.cause = new Error("inner", { cause: outer });
    expect(causeChain(outer)).toEqual([outer, outer.cause]);
  });
});
