import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { afterEach, describe, expect, it } from "vitest";

interface Mutant {
  readonly id: number;
  readonly file: string;
  readonly start: number;
  readonly end: number;
  readonly place: "expression" | "statement" | "catch";
  readonly original: string;
  readonly mutant: string;
  readonly line: number;
  readonly lineText: string;
}

/** The scripts are plain JavaScript; these are the parts of them that are tested. */
async function script<T>(name: string): Promise<T> {
  return (await import(new URL(`../../scripts/mutants/${name}.mjs`, import.meta.url).href)) as T;
}

const { findMutants } = await script<{ findMutants(source: string): readonly Mutant[] }>("find-mutants");
const { switchMutants } = await script<{ switchMutants(source: string, mutants: readonly Mutant[]): string }>(
  "switch-mutants",
);
const { matchEquivalents } = await script<{
  matchEquivalents(
    survivors: readonly Mutant[],
    listed: readonly object[],
  ): { readonly unlisted: readonly Mutant[]; readonly stale: readonly object[] };
}>("equivalents");
const { placeNamedMutants } = await script<{
  placeNamedMutants(read: (file: string) => string): readonly unknown[];
}>("named-mutants");
const { tryMutants } = await script<{
  tryMutants(work: {
    root: string;
    folder: string;
    mutants: readonly Mutant[];
    tests: readonly string[];
    workers: number;
  }): Promise<{ readonly killedBy: ReadonlyMap<number, string>; readonly broken: readonly string[] }>;
}>("try-mutants");

const numbered = (source: string, file = "sample.ts"): readonly Mutant[] =>
  findMutants(source).map((mutant, index) => ({ ...mutant, file, id: index + 1 }));
const changes = (source: string): readonly string[] =>
  findMutants(source).map(({ original, mutant }) => `${original} -> ${mutant}`);

/** The source with one mutant switched on, run. */
function outcomeOf(source: string, wanted: string | undefined, argument: unknown): unknown {
  const mutants = numbered(source);
  const active = mutants.find(({ original, mutant }) => `${original} -> ${mutant}` === wanted)?.id ?? 0;
  expect(wanted === undefined || active > 0, `no such mutant: ${wanted}`).toBe(true);
  const holder = globalThis as { __mutant?: (id: number) => boolean };
  holder.__mutant = (id) => id === active;
  // oxlint-disable-next-line no-new-func -- the text is this test's own
  const run = new Function("value", `${switchMutants(source, mutants)} return run(value);`) as (
    value: unknown,
  ) => unknown;
  return run(argument);
}

describe("mutants of", () => {
  it.each([
    ["a condition", "if (a) b(); else c();", ["a -> true", "a -> false", "b(); -> ", "c(); -> "]],
    ["a condition's only statement: it falls with it", "if (a) b();", ["a -> true", "a -> false"]],
    ["a loop", "while (a) b();", ["a -> false", "b(); -> "]],
    ["both sides of a conjunction", "x = a && b;", ["x = a && b; -> ", "a && b -> a", "a && b -> b"]],
    ["a default", "x = a ?? 1;", ["x = a ?? 1; -> ", "a ?? 1 -> a", "a ?? 1 -> 1"]],
    ["a boundary", "x = a < b;", ["x = a < b; -> ", "a < b -> a <= b", "a < b -> true", "a < b -> false"]],
    ["an equality", "x = a === b;", ["x = a === b; -> ", "a === b -> true", "a === b -> false"]],
    [
      "arithmetic, brackets kept",
      "f((a + b) * c);",
      ["f((a + b) * c); -> ", "(a + b) * c -> (a + b) / c", "a + b -> a - b"],
    ],
    ["a boolean", "f(true);", ["f(true); -> ", "true -> false"]],
    ["an attribute's name", 'f("error.type");', ['f("error.type"); -> ', '"error.type" -> ""']],
    ["a sentence: words for people", 'f("it must be so");', ['f("it must be so"); -> ']],
    ["a returned value", "const f = () => g(1);", ["g(1) -> undefined"]],
    ["a list", 'f(["a", b]);', ['f(["a", b]); -> ', '["a", b] -> [b]', '["a", b] -> ["a"]']],
    ["a pattern", "f(/a+/g);", ["f(/a+/g); -> ", "/a+/g -> /(?:)/g", "/a+/g -> /(?!)/g"]],
    ["an optional chain, as a whole", "x = a?.b.c;", ["x = a?.b.c; -> ", "a?.b.c -> a.b.c"]],
    [
      "a call that cleans",
      "x = (a ?? b).trim();",
      ["x = (a ?? b).trim(); -> ", "(a ?? b).trim() -> (a ?? b)", "a ?? b -> a", "a ?? b -> b"],
    ],
    ["a call that has an opposite", "x = a.some(b);", ["x = a.some(b); -> ", "a.some(b) -> a.every(b)"]],
    ["a handler", "try { a(); } catch { }", ["a(); -> ", "catch { } -> catch (error) { throw error; }"]],
    ["types: none", 'type A = "a" | "b"; const x: Set<"a"> = y as Set<"a">;', []],
  ])("%s", (_name, source, expected) => {
    expect(changes(source)).toEqual(expected);
  });

  it("a line know where they are", () => {
    expect(findMutants("\n\n  f(true);\n")[1]).toMatchObject({ line: 3, lineText: "f(true);", original: "true" });
  });
});

describe("switched sources", () => {
  const source = `function run(value) {
    let log = "";
    if (value > 1) log += "big"; else log += "small";
    try { if (value === 3) throw new Error("odd"); } catch { log += " caught"; }
    return log + (value?.toFixed().trim() ?? " none");
  }`;

  it.each([
    [undefined, 2, "big2"],
    [undefined, 3, "big caught3"],
    [undefined, undefined, "small none"],
    ["value > 1 -> value >= 1", 1, "big1"],
    ["value > 1 -> false", 2, "small2"],
    ['log += "small"; -> ', 1, "1"],
    ['log += "big"; -> ', 2, "2"],
    ['value?.toFixed().trim() ?? " none" -> value?.toFixed().trim()', undefined, "smallundefined"],
  ])("with %s, %s becomes %s", (wanted, argument, expected) => {
    expect(outcomeOf(source, wanted, argument)).toBe(expected);
  });

  it("rethrow what a handler would have caught", () => {
    const wanted = 'catch { log += " caught"; } -> catch (error) { throw error; }';
    expect(() => outcomeOf(source, wanted, 3)).toThrow("odd");
  });

  it("read a missing value where the chain lost its question mark", () => {
    const wanted = "value?.toFixed().trim() -> value.toFixed().trim()";
    expect(() => outcomeOf(source, wanted, undefined)).toThrow(TypeError);
  });
});

describe("the list of equivalents", () => {
  const [survivor] = numbered("f(true);").slice(1) as [Mutant];
  const entry = { file: "sample.ts", line: "f(true);", original: "true", mutant: "false", reason: "nobody reads it" };

  it("excuses what it names", () => {
    expect(matchEquivalents([survivor], [entry])).toEqual({ unlisted: [], stale: [] });
  });

  it("goes stale when the mutant dies or the reason is missing", () => {
    expect(matchEquivalents([], [entry]).stale).toEqual([entry]);
    expect(matchEquivalents([survivor], [{ ...entry, reason: "" }]).stale).toHaveLength(1);
  });

  it("excuses nothing else", () => {
    expect(matchEquivalents([survivor], [{ ...entry, mutant: "true" }]).unlisted).toEqual([survivor]);
  });
});

it("a named mutant that has lost its place is an error", () => {
  expect(() => placeNamedMutants(() => "another source")).toThrow(/named mutant "the always-OK bug".*new place/);
});

describe("a run", () => {
  const folders: string[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
  });

  /** A rule, and tests that see it or look the other way. */
  async function tried(test: string, hint?: string) {
    const root = mkdtempSync(`${tmpdir()}/mutants-`);
    folders.push(root);
    const rule = 'export const failed = (value: { status: string }): boolean => value.status === "error";\n';
    writeFileSync(`${root}/sample.ts`, rule);
    const imports = 'import { expect, it } from "vitest";\nimport { failed } from "./sample.ts";\n';
    writeFileSync(`${root}/sample.test.ts`, `${imports}${test}\n`);
    writeFileSync(`${root}/blind.test.ts`, `${imports}${ok}\n`);
    const mutants = numbered(rule).map((mutant) => ({ ...mutant, hint }));
    const tests = hint === undefined ? ["sample.test.ts"] : ["blind.test.ts", "sample.test.ts"];
    const results = await tryMutants({ root, folder: `${root}/out`, mutants, tests, workers: 1 });
    return Object.fromEntries(mutants.map(({ id, mutant }) => [mutant, results.killedBy.get(id)]));
  }

  const ok = 'it("sees success", () => expect(failed({ status: "ok" })).toBe(false));';
  const error = 'it("sees failure", () => expect(failed({ status: "error" })).toBe(true));';

  it("names the test that saw each mutant", async () => {
    expect(await tried(`${ok}\n${error}`)).toEqual({
      true: "sample.test.ts: sees success",
      false: "sample.test.ts: sees failure",
    });
  });

  it("reports a blinded rule as a survivor when the test that sees it is left out", async () => {
    expect(await tried(ok)).toEqual({ true: "sample.test.ts: sees success", false: undefined });
  });

  it("asks first the file that a hint names, and then all", async () => {
    expect(await tried(`${ok}\n${error}`, "sample.test.ts")).toEqual({
      true: "sample.test.ts: sees success",
      false: "sample.test.ts: sees failure",
    });
    expect(await tried(error, "blind.test.ts")).toEqual({
      true: "blind.test.ts: sees success",
      false: "sample.test.ts: sees failure",
    });
  });

  it("does not let a test kill that an earlier run has spoilt", async () => {
    const count = "const holder = globalThis as { ran?: number };\nholder.ran = (holder.ran ?? 0) + 1;";
    const spoilt = `it("counts", () => { failed({ status: "ok" }); expect(holder.ran).toBe(1); });`;
    expect(await tried(`${count}\n${spoilt}`)).toEqual({ true: undefined, false: undefined });
  });

  it("does not let a test kill that fails without the mutant too", async () => {
    const broken = 'it("is broken", () => expect(failed({ status: "ok" })).toBe(7));';
    expect(await tried(broken)).toEqual({ true: undefined, false: undefined });
  });
});
