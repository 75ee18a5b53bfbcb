/**
 * Runs inside Vitest's worker, in place of its own test runner. Each test file is run once as it is, which shows the tests
 * that reach each mutant, and then again for each mutant that is still alive: only those tests, up to the first that fails.
 */
import { appendFileSync, readFileSync } from "node:fs";
import { startTests } from "@vitest/runner";
import { TestRunner } from "vitest";

const { mutants, progress } = JSON.parse(readFileSync(process.env.MUTANTS_PLAN, "utf8"));
const earlier = readFileSync(progress, "utf8")
  .split("\n")
  .filter(Boolean)
  .map((line) => JSON.parse(line));
const say = (line) => appendFileSync(progress, `${JSON.stringify({ ...line, at: Math.round(performance.now()) })}\n`);

const killed = new Set(earlier.filter(({ killedBy }) => killedBy).map(({ id }) => id));
const survived = new Set(earlier.filter(({ alive }) => alive).map(({ id, file }) => `${id} ${file}`));

/** A mutant that is asked for more often than this in one test keeps a loop from ending. */
const MOST_HITS = 1_000_000;
/** `seen` is there only while a file runs as it is. */
const state = { active: 0, hits: 0, seen: undefined };
globalThis.__mutant = (id) => {
  state.seen?.add(id);
  if (id !== state.active) return false;
  if (++state.hits > MOST_HITS) throw new Error("the mutant does not end");
  return true;
};

export default class ReachRunner extends TestRunner {
  /** Mutants reached by each test, and under "" those reached while the file was loaded or between tests. */
  reached = new Map();

  onBeforeCollect() {
    forgetModules(this.workerState.evaluatedModules, () => true);
    this.reached.clear();
    this.watch("");
  }

  async onBeforeRunTask(test) {
    await super.onBeforeRunTask(test);
    this.watch(test.id);
  }

  onAfterRunTask(test) {
    super.onAfterRunTask(test);
    this.watch("");
  }

  async onAfterRunFiles(files) {
    super.onAfterRunFiles();
    state.seen = undefined;
    await tryMutants(this, files[0]);
  }

  watch(test) {
    if (!this.reached.has(test)) this.reached.set(test, new Set());
    state.seen = this.reached.get(test);
  }
}

let hasTried = false;

async function tryMutants(outer, file) {
  if (earlier.some(({ done }) => done === file.name)) return;
  const failed = failedIn(file);
  // What an earlier file's mutants left running can disturb one run, not two.
  const isBroken = failed.length > 0 && (await rerun(outer, file, { active: 0, tests: idsOf(failed), isLoaded: true }));
  if (isBroken && hasTried && !earlier.some(({ soiled }) => soiled === file.name)) {
    say({ soiled: file.name, left: true }); // by what an earlier mutant left behind, or else it is seen in a new process too
    process.exit(1);
  }
  const broken = isBroken ? failed : [];
  for (const task of broken) say({ file: file.name, broken: `${nameOf(task)}: ${task.result.errors?.[0]?.message}` });
  const unusable = idsOf(broken);
  const { reached } = outer;
  for (const { id, hint } of mutants) {
    if (hint && hint !== file.name) continue;
    if (killed.has(id) || survived.has(`${id} ${file.name}`)) continue;
    const isLoaded = reached.get("").has(id);
    const isReached = (test) => test !== "" && !unusable.has(test) && (isLoaded || reached.get(test).has(id));
    const tests = new Set([...reached.keys()].filter(isReached));
    if (tests.size === 0) continue;
    say({ id, file: file.name, trying: true });
    hasTried = true;
    if (wasLeft(file, id)) await leaveOutUnrepeatable(outer, file, tests, isLoaded);
    const killer = await findKiller(outer, file, id, tests, isLoaded);
    if (killer) killed.add(id);
    say(killer ? { id, killedBy: `${file.name}: ${killer}` } : { id, file: file.name, alive: true });
  }
  say({ done: file.name });
}

/** A test counts only if it passes again without the mutant: what an earlier mutant left behind must not kill. */
async function findKiller(outer, file, id, tests, isLoaded) {
  const failed = await rerun(outer, file, { active: id, tests, isLoaded });
  if (!failed) return undefined;
  const alone = { active: 0, tests: new Set([failed.id]), isLoaded };
  if ((await rerun(outer, file, alone)) && (await rerunClean(outer, file, alone))) leave(file, id, failed.name);
  return failed.name;
}

/**
 * This mutant, or one before it, has changed something in the process for good (a class of a framework's, say). Another process
 * goes on, with this mutant first; if that one is spoilt too, it was this mutant.
 */
function leave(file, id, killer) {
  say(
    wasLeft(file, id) ? { id, killedBy: `${file.name}: ${killer}`, left: true } : { id, file: file.name, left: true },
  );
  process.exit(1);
}

function wasLeft(file, id) {
  return earlier.some((line) => line.left && line.id === id && line.file === file.name);
}

/** A test that passes only once in a process says nothing of a mutant. */
async function leaveOutUnrepeatable(outer, file, tests, isLoaded) {
  for (;;) {
    const failed = await rerun(outer, file, { active: 0, tests, isLoaded });
    if (!failed) return;
    say({ file: file.name, broken: `${failed.name}: run a second time: ${failed.message}` });
    if (!tests.delete(failed.id)) return; // a set-up cannot be left out
  }
}

async function rerun(outer, file, { active, tests, isLoaded }) {
  const { evaluatedModules } = outer.workerState;
  forgetModules(evaluatedModules, (path) => isLoaded || path === file.filepath);
  const runner = Object.assign(Object.create(MutantRunner.prototype), dataOf(outer), { active, tests, isLoaded });
  runner.failed = undefined;
  const [ran] = await startTests([file.filepath], runner);
  state.active = 0;
  if (isLoaded) forgetModules(evaluatedModules, () => true);
  return described(runner.failed ?? failedIn(ran)[0]);
}

/** What copies of the library share is in the process, and a mutant may have left something there. */
async function rerunClean(outer, file, run) {
  for (const key of Object.getOwnPropertySymbols(globalThis)) {
    if (Symbol.keyFor(key)?.startsWith("toolspan.")) delete globalThis[key];
  }
  return rerun(outer, file, { ...run, isLoaded: true });
}

/** Vitest gives its runner functions of its own that report to the main process; nobody is to hear of these runs. */
function dataOf(runner) {
  const own = Object.entries(Object.getOwnPropertyDescriptors(runner));
  return Object.fromEntries(
    own.filter(([, { value }]) => typeof value !== "function").map(([key]) => [key, runner[key]]),
  );
}

class MutantRunner extends TestRunner {
  onBeforeCollect() {
    state.hits = 0;
    state.active = this.isLoaded ? this.active : 0;
  }

  onCollected([file]) {
    keepOnly(file, this.tests);
    state.active = this.active;
  }

  async onBeforeRunSuite(suite) {
    if (this.failed) suite.mode = "skip";
    await super.onBeforeRunSuite(suite);
  }

  async onBeforeRunTask(test) {
    if (this.failed) test.mode = "skip";
    state.hits = 0;
    await super.onBeforeRunTask(test);
  }

  onAfterRunTask(test) {
    if (test.result?.state === "fail") this.failed ??= test;
    super.onAfterRunTask(test);
  }

  onAfterRunSuite(suite) {
    this.workerState.current = suite.suite ?? suite.file;
  }

  onTaskUpdate() {}
}

function keepOnly(suite, tests) {
  for (const task of suite.tasks) {
    if (task.type === "suite") keepOnly(task, tests);
    else if (!tests.has(task.id)) task.mode = "skip";
  }
  if (suite.tasks.length > 0 && suite.tasks.every(({ mode }) => mode === "skip" || mode === "todo"))
    suite.mode = "skip";
}

function idsOf(tasks) {
  return new Set(tasks.map(({ id }) => id));
}

function failedIn(task) {
  const inside = task.tasks?.flatMap(failedIn) ?? [];
  return inside.length === 0 && task.result?.state === "fail" ? [task] : inside;
}

function described(task) {
  return task && { id: task.id, name: nameOf(task), message: task.result?.errors?.[0]?.message };
}

/** A file or a suite fails by its set-up. */
function nameOf(task) {
  if (task.type === "suite") return "set-up";
  const names = [task.name];
  for (let { suite } = task; suite && suite !== task.file; { suite } = suite) names.unshift(suite.name);
  return names.join(" > ");
}

function forgetModules(modules, isForgotten) {
  for (const [path, node] of modules.idToModuleMap) {
    if (path.includes("/node_modules/") || path === import.meta.filename || !isForgotten(path)) continue;
    Object.assign(node, { promise: undefined, exports: undefined, evaluated: false });
    node.importers.clear();
  }
}
