/**
 * Breaks every rule, guard and condition of the sources below, one at a time, and runs the tests that reach it. Fails where
 * no test notices, unless the mutant is listed, with its reason, as one that changes nothing.
 *
 * A listed mutant runs every test that reaches it, to no end, so it is not tried again unless `--recheck` asks for it.
 *
 * node scripts/mutants.mjs [--only text-in-path] [--fresh] [--recheck] [--workers 2] [--json]
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { parseArgs } from "node:util";
import { matchEquivalents } from "./mutants/equivalents.mjs";
import { findMutants } from "./mutants/find-mutants.mjs";
import { placeNamedMutants } from "./mutants/named-mutants.mjs";
import { tryMutants } from "./mutants/try-mutants.mjs";

/** Not what mends a stack: in this tool's process the frames are others. */
const SOURCES = /^src\/(core|errors|span)\/|^src\/adapters\/langchain(?!\/refusal-stack)/;
/**
 * Those that are quick and see most come first; what needs a whole agent is asked last. Left out: the property tests, of which
 * one run costs as much as hundreds of others, and those that only compare a whole agent with and without the library.
 */
const TESTS = [
  /^test\/core\//,
  /^test\/span\/(?!properties)/,
  /^test\/adapters\/langchain\/(?!situations|wrap\.|agent|refusal-stack|differential|unchanged|unmodified|register\.|limits|replay)[^/]*$/,
  /^test\/errors\/(?!python-rows)/,
  /^test\/(outcomes|reports)\.test/,
  /^test\/adapters\/langchain\/(replay|situations|wrap\.|agent|reports\/)/,
];
/** Kept for the machine, so that a fresh clone of what was tried here need not try it again. */
const KEPT = `${process.env.XDG_CACHE_HOME || `${homedir()}/.cache`}/toolspan/mutants`;
/** What killed each mutant last time: the test file to ask first. */
const HINTS = `${KEPT}/hints.json`;
/** All that the outcome of a mutant depends on, but for the tests, which are chosen above, and the dependencies. */
const ASKED = /^src\/((adapters|core|errors|span)\/|[^/]+$)|^test\/(fixtures|mutants|support)\/|^scripts\/mutants/;
const EQUIVALENTS = "test/mutants/equivalent.json";
const CACHE = ".cache/mutants";

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    fresh: { type: "boolean", default: false },
    recheck: { type: "boolean", default: false },
    workers: { type: "string", default: "2" },
    json: { type: "boolean", default: false },
  },
});

const read = (path) => readFileSync(path, "utf8");
const files = [...filesIn("src"), ...filesIn("test"), ...filesIn("scripts")];
const tests = TESTS.flatMap((pattern) => files.filter((file) => file.endsWith(".test.ts") && pattern.test(file)));
const mutants = [...placeNamedMutants(read), ...files.filter((file) => SOURCES.test(file)).flatMap(mutantsIn)]
  .filter(({ file, name }) => file.includes(values.only) || (name && !values.only))
  .map((mutant, index) => ({ ...mutant, id: index + 1 }));

for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(1));
const listed = JSON.parse(read(EQUIVALENTS)).filter(({ file }) => file.includes(values.only));
const { unlisted: toTry } = values.recheck ? { unlisted: mutants } : matchEquivalents(mutants, listed);
const { killedBy, broken } = await resultsOf(toTry);
report();

function mutantsIn(file) {
  return findMutants(read(file)).map((mutant) => ({ ...mutant, file }));
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`)
    .sort();
}

/** With one of the files changed all are tried again. */
async function resultsOf(all) {
  const hash = createHash("sha256").update(JSON.stringify([process.version, values.only, values.recheck]));
  const asked = files.filter((file) => ASKED.test(file) || tests.includes(file));
  for (const file of [...asked, "package-lock.json", "vitest.config.ts"]) hash.update(`${file}\0${read(file)}\0`);
  const cached = `${KEPT}/${hash.digest("hex")}.json`;
  if (existsSync(cached) && !values.fresh) {
    const { killers, ...rest } = JSON.parse(read(cached));
    return { ...rest, killedBy: new Map(killers) };
  }
  mkdirSync(CACHE, { recursive: true });
  mkdirSync(KEPT, { recursive: true });
  const hints = existsSync(HINTS) ? JSON.parse(read(HINTS)) : {};
  const results = await tryMutants({
    root: process.cwd(),
    folder: `${CACHE}/${process.pid}`,
    mutants: all.map((mutant) => ({ ...mutant, hint: tests.find((test) => test === hints[keyOf(mutant)]) })),
    tests,
    workers: Number(values.workers),
  });
  for (const mutant of all) {
    const killer = results.killedBy.get(mutant.id);
    if (killer) hints[keyOf(mutant)] = killer.slice(0, killer.indexOf(": "));
  }
  writeFileSync(HINTS, JSON.stringify(hints));
  writeFileSync(cached, JSON.stringify({ killers: [...results.killedBy], broken: results.broken }));
  return results;
}

function keyOf({ file, lineText, original, mutant }) {
  return [file, lineText, original, mutant].join("\n");
}

function report() {
  for (const { id, name } of mutants.filter((mutant) => mutant.name)) {
    console.log(`named mutant "${name}": ${killedBy.has(id) ? `killed by ${killedBy.get(id)}` : "SURVIVED"}`);
  }
  const survivors = mutants.filter(({ id }) => !killedBy.has(id));
  const { unlisted, stale } = matchEquivalents(survivors, listed);
  for (const { file, line, original, mutant, lineText } of unlisted) {
    if (values.json) console.log(JSON.stringify({ file, line: lineText, original, mutant, reason: "" }));
    else console.log(`survived ${file}:${line}  ${oneLine(original)}  ->  ${oneLine(mutant) || "(removed)"}`);
  }
  for (const { file, line } of stale)
    console.log(`stale entry, or one without a reason, in ${EQUIVALENTS}: ${file} ${line}`);
  for (const test of broken) console.log(`this test fails with no mutant in the source: ${test}`);
  console.log(
    `mutants: ${killedBy.size} killed, ${survivors.length - unlisted.length} equivalent, ${unlisted.length} survived`,
  );
  process.exitCode = unlisted.length + stale.length + broken.length > 0 ? 1 : 0;
}

function oneLine(text) {
  const line = text.replace(/\s+/g, " ");
  return line.length > 110 ? `${line.slice(0, 110)}…` : line;
}
