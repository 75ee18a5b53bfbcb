/** Shares the mutants out to processes, and sees to it that one which hangs is ended and gone on from. */
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Nothing said for so long: the mutant keeps the process from going on. */
const SILENCE_MS = 60_000;

/**
 * A mutant with a `hint` is tried first by the test file which that names, and by all only if it is still alive then.
 *
 * @param {{ root: string, folder: string, mutants: readonly { id: number, file: string, hint?: string }[], tests: readonly string[], workers: number }} work
 * @returns {Promise<{ killedBy: Map<number, string>, broken: readonly string[] }>} the test that killed each; a mutant without one
 * survived. `broken`: tests that fail with no mutant
 */
export async function tryMutants({ root, folder, mutants, tests, workers }) {
  mkdirSync(folder, { recursive: true });
  const shares = Array.from({ length: workers }, (_, share) => mutants.filter((_one, at) => at % workers === share));
  const lines = (await Promise.all(shares.map((share, at) => tryHinted(root, `${folder}/${at}`, share, tests)))).flat();
  rmSync(folder, { recursive: true });
  return {
    killedBy: new Map(lines.filter(({ killedBy }) => killedBy).map(({ id, killedBy }) => [id, killedBy])),
    broken: [...new Set(lines.filter(({ broken }) => broken).map(({ file, broken }) => `${file}: ${broken}`))],
  };
}

async function tryHinted(root, base, mutants, tests) {
  const hints = new Set(mutants.map(({ hint }) => hint));
  const first = hints.has(undefined) ? tests : tests.filter((test) => hints.has(test));
  const lines = await tryShare(root, base, mutants, first);
  const killed = new Set(lines.filter(({ killedBy }) => killedBy).map(({ id }) => id));
  const left = mutants
    .filter(({ id, hint }) => hint && !killed.has(id))
    .map((mutant) => ({ ...mutant, hint: undefined }));
  return left.length > 0 ? [...lines, ...(await tryShare(root, base, left, tests))] : lines;
}

async function tryShare(root, base, mutants, tests) {
  const [plan, progress] = [`${base}.plan.json`, `${base}.progress.jsonl`];
  writeFileSync(plan, JSON.stringify({ root, mutants, tests, progress }));
  writeFileSync(progress, "");
  for (;;) {
    const hasEnded = await runOnce(plan, progress);
    const lines = readFileSync(progress, "utf8")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    const last = lines.at(-1);
    const isDone = tests.every((test) => lines.some(({ done }) => done === test));
    if (hasEnded && isDone) return lines;
    if (last?.left) continue;
    if (hasEnded || !last?.trying)
      throw new Error(`the test process failed; run it alone: node scripts/mutants/run-vitest.mjs ${plan}`);
    const line = { id: last.id, killedBy: `${last.file}: it did not end` };
    writeFileSync(progress, `${[...lines, line].map((one) => JSON.stringify(one)).join("\n")}\n`);
  }
}

/** @returns whether it came to its end */
function runOnce(plan, progress) {
  const program = fileURLToPath(new URL("run-vitest.mjs", import.meta.url));
  const child = spawn(process.execPath, [program, plan], { stdio: ["ignore", "ignore", "inherit"] });
  const end = () => child.kill("SIGKILL");
  process.once("exit", end);
  const startedAt = Date.now();
  const watch = setInterval(() => {
    const saidAt = Math.max(startedAt, statSync(progress).mtimeMs);
    if (Date.now() - saidAt > SILENCE_MS) end();
  }, 1000);
  return new Promise((resolve) => {
    child.on("exit", (code) => {
      clearInterval(watch);
      process.off("exit", end);
      resolve(code === 0);
    });
  });
}
