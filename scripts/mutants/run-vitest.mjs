/** One process of the mutant run: Vitest with the switched sources, over the plan in the file given as its argument. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { startVitest } from "vitest/node";
import { switchMutants } from "./switch-mutants.mjs";

process.env.MUTANTS_PLAN = process.argv[2];
const { root, mutants, tests } = JSON.parse(readFileSync(process.argv[2], "utf8"));

const switched = {
  name: "switched-sources",
  enforce: "pre",
  transform(code, id) {
    const here = mutants.filter(({ file }) => id === `${root}/${file}`);
    return here.length > 0 ? { code: switchMutants(code, here), map: null } : undefined;
  },
};

/** As the plan has them: those that are quick and see most come first. */
class PlannedOrder {
  sort(specifications) {
    return specifications.toSorted((one, other) => placeOf(one) - placeOf(other));
  }

  shard(specifications) {
    return specifications;
  }
}

function placeOf({ moduleId }) {
  return tests.findIndex((test) => moduleId === `${root}/${test}`);
}

const options = {
  root,
  include: tests,
  watch: false,
  pool: "threads",
  isolate: false,
  fileParallelism: false,
  runner: fileURLToPath(new URL("test-each.mjs", import.meta.url)),
  sequence: { sequencer: PlannedOrder },
  // The worker may be in the middle of what a mutant started, and need not be waited for.
  reporters: [{ onTestRunEnd: () => process.exit(0) }],
  silent: true,
  testTimeout: 5000,
  // A mutant may well leave a rejection behind; what counts is a test that fails.
  dangerouslyIgnoreUnhandledErrors: true,
};
await startVitest("test", [], options, { plugins: [switched] });
