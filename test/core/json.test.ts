import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toJson } from "../../src/core/json.ts";

const plenty = 100_000;
const parsed = (value: unknown, limit = plenty): unknown => JSON.parse(toJson(value, limit)!);

describe("toJson writes what JSON.stringify would not", () => {
  const cyclic: Record<string, unknown> = { n: 1 };
  cyclic["self"] = cyclic;
  const shared = { n: 1 };
  const throwing = Object.defineProperty({ kept: 1 }, "broken", {
    enumerable: true,
    get: () => {
      throw new Error("no");
    },
  });
  const trapped = new Proxy([], {
    get: () => {
      throw new Error("no");
    },
  });
  const unlisted = new Proxy(
    {},
    {
      ownKeys: () => {
        throw new Error("no");
      },
    },
  );
  const { proxy: revoked, revoke } = Proxy.revocable({}, {});
  revoke();

  it.each([
    ["a cycle", cyclic, { n: 1, self: "[circular]" }],
    ["one object twice, which is no cycle", [shared, shared], [shared, shared]],
    ["BigInt", { n: 10n ** 20n }, { n: "100000000000000000000" }],
    ["NaN and Infinity", [Number.NaN, Infinity], ["NaN", "Infinity"]],
    ["a symbol", [Symbol("s")], ["Symbol(s)"]],
    ["a function in a list", [() => 1], ["[function ]"]],
    ["a function as a member, left out", { f: () => 1, n: 1 }, { n: 1 }],
    ["undefined as a member, left out", { u: undefined, n: 1 }, { n: 1 }],
    ["undefined in a list", [undefined], [null]],
    ["a Date", new Date(0), "1970-01-01T00:00:00.000Z"],
    ["a Date that is none", new Date(Number.NaN), "Invalid Date"],
    ["a Map", new Map([["a", 1]]), { a: 1 }],
    [
      "a Map whose keys are objects",
      new Map([
        [Object.create(null), 1],
        [new Date(0), 2],
      ]),
      { object: 1, Date: 2 },
    ],
    ["what only inherits from Map", Object.create(Map.prototype), {}],
    ["a Set", new Set([1, 2]), [1, 2]],
    [
      "an Error",
      Object.assign(new RangeError("no", { cause: "why" }), { code: "E1" }),
      { name: "RangeError", message: "no", code: "E1", cause: "why" },
    ],
    ["bytes", new Uint8Array(3), "[Uint8Array 3 bytes]"],
    ["a buffer", new ArrayBuffer(2), "[ArrayBuffer 2 bytes]"],
    ["a URL", new URL("http://a.b/"), "http://a.b/"],
    ["a RegExp", /a/g, "/a/g"],
    ["a throwing getter", throwing, { kept: 1, broken: "[unreadable]" }],
    ["a toJSON", { toJSON: () => ({ a: 1 }) }, { a: 1 }],
    [
      "a toJSON that throws",
      {
        kept: 1,
        toJSON: () => {
          throw new Error("no");
        },
      },
      { kept: 1 },
    ],
    ["throwing traps", trapped, "[unreadable]"],
    ["keys that cannot be listed", unlisted, {}],
    ["a revoked proxy", [revoked, 1], ["[unreadable]", 1]],
    ["an object without prototype", Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
    ["text", 'a\n"b"', 'a\n"b"'],
    ["null", null, null],
    ["true", true, true],
    ["a number", 1.5, 1.5],
    ["nothing in a list and an object", [[], {}], [[], {}]],
  ])("%s", (_title, value, wanted) => {
    expect(parsed(value)).toEqual(wanted);
  });

  it("nothing for undefined", () => {
    expect(toJson(undefined, plenty)).toBeUndefined();
  });

  it.each([
    ["lists", (inner: unknown) => [inner, 1], /"…"(?:,1\]){32}$/],
    ["objects", (inner: unknown) => ({ in: inner, n: 1 }), /"…"(?:,"n":1\}){32}$/],
  ])("no deeper than 32 levels of %s, and all that is beside them", (_title, around, wanted) => {
    const deep = Array.from({ length: 40 }).reduce<unknown>(around, "bottom");
    expect(toJson(deep, plenty)).toMatch(wanted);
  });

  it("no deeper than 32 levels", () => {
    const deep = Array.from({ length: 40 }).reduce<unknown>((inner) => [inner], "bottom");
    const levels = JSON.stringify(parsed(deep)).split("[").length - 1;
    expect(levels).toBe(32);
    expect(JSON.stringify(parsed(deep))).toContain('["…"]');
  });
});

describe("toJson cuts to its limit in bytes", () => {
  it.each([
    ["a text that just fits", "abcd", 6, "abcd"],
    ["a text one byte too long", "abcde", 6, "a…"],
    ["between characters", "ééé", 7, "é…"],
    ["between surrogate pairs", "😀😀", 9, "😀…"],
    ["escapes counted", "\n\n\n\n", 9, "\n\n…"],
    ["a list that just fits", [1, 2], 5, [1, 2]],
    ["a list too long", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], 24, [1, 2, 3, 4, 5, "…"]],
    ["an object that just fits", { a: 1 }, 7, { a: 1 }],
    ["an object too long", { a: 1, b: "x".repeat(50), c: 2 }, 40, { a: 1, b: "xxxxxxxxxxx…", c: 2 }],
    ["a list with no room for anything", ["abcdef"], 2, []],
    ["a text with room for the sign alone", "abcdef", 5, "…"],
    ["a list with room for the sign alone", [123456789], 7, ["…"]],
    ["a list whose entries leave room for the next", ["a".repeat(8), "b".repeat(14)], 20, ["a…", "bbbbbb…"]],
    ["an object with more members than fit", { a: 1, b: 2, c: 3, d: 4, e: 5 }, 24, { a: 1, "…": "…" }],
  ])("%s", (_title, value, limit, wanted) => {
    const json = toJson(value, limit)!;
    expect(JSON.parse(json)).toEqual(wanted);
    expect(Buffer.byteLength(json)).toBeLessThanOrEqual(limit);
  });

  it("reads no more members than can fit", () => {
    let reads = 0;
    const wide = {};
    for (let index = 0; index < 10_000; index++)
      Object.defineProperty(wide, `k${index}`, { enumerable: true, get: () => reads++ });
    toJson(wide, 1000);
    expect(reads).toBeLessThanOrEqual(2 * 202);
  });

  it("nothing where not even the sign for a cut fits", () => {
    expect(toJson("abcdef", 4)).toBeUndefined();
    expect(toJson([], 1)).toBeUndefined();
    expect(toJson(12345, 4)).toBeUndefined();
  });

  it("any value, any limit: valid JSON within it, and all of it where it fits", () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withNullPrototype: true,
      withObjectString: true,
      withTypedArray: true,
      maxDepth: 4,
    });
    fc.assert(
      fc.property(anything, fc.integer({ min: 1, max: 300 }), (value, limit) => {
        const json = toJson(value, limit);
        if (json === undefined) return;
        expect(Buffer.byteLength(json)).toBeLessThanOrEqual(limit);
        JSON.parse(json);
      }),
      { numRuns: 1000 },
    );
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        expect(parsed(value)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

describe("toJson's replacer", () => {
  it("sees each member by its key, the root by none, and its answer is written", () => {
    const seen: string[] = [];
    const json = toJson({ a: [1], b: 2 }, plenty, (key, value) => {
      seen.push(key);
      return value === 2 ? "two" : value;
    });
    expect(seen).toEqual(["", "a", "0", "b"]);
    expect(json).toBe('{"a":[1],"b":"two"}');
  });

  it("also where the value does not fit whole and is written anew", () => {
    const keys = new Set<string>();
    const json = toJson({ a: "x".repeat(50) }, 20, (key, value) => (keys.add(key), value));
    expect([...keys]).toEqual(["", "a"]);
    expect(json).toBe('{"a":"xxxxxxxxx…"}');
  });
});
