import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { scratch } from "./program.ts";
import { replaced } from "./prometheus.ts";

const RULES_FOLDER = "collector-config/prometheus";
const TESTS_FOLDER = "test/stack/rules";

/** One test of a promtool test file. */
export interface RuleTest {
  readonly file: string;
  readonly name: string;
  /** The file with this test alone. */
  readonly text: string;
}

/** The tests of a file, each alone: promtool says which expression failed, and not in which test. */
export function ruleTests(file: string): readonly RuleTest[] {
  const [head = "", ...tests] = readFileSync(join(TESTS_FOLDER, file), "utf8").split(/^(?= {2}- name: )/m);
  return tests.map((test) => ({ file, name: /name: "?(.*?)"?$/m.exec(test)?.[1] ?? "", text: head + test }));
}

/** Part of a rule file, and what is put in its place: a fault that some test must see. */
export interface Change {
  readonly rules: string;
  readonly from: string;
  readonly to: string;
}

/** What `promtool test rules` finds wrong: nothing where the test passes. */
export async function runRuleTest(test: RuleTest, change?: Change): Promise<string> {
  const folder = scratch();
  for (const rules of ["recording-rules.yml", "alert-rules.yml"]) {
    const text = readFileSync(join(RULES_FOLDER, rules), "utf8");
    write(
      folder,
      join(RULES_FOLDER, rules),
      change?.rules === rules ? replaced(text, { [change.from]: change.to }) : text,
    );
  }
  return promtool("test", "rules", write(folder, join(TESTS_FOLDER, test.file), test.text));
}

/** Runs promtool. @returns what it complains of, or nothing */
export async function promtool(...args: readonly string[]): Promise<string> {
  return promisify(execFile)("promtool", args).then(
    () => "",
    (error: { stdout?: string; stderr?: string }) => `${error.stdout}${error.stderr}` || String(error),
  );
}

function write(folder: string, path: string, text: string): string {
  const file = join(folder, path);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, text);
  return file;
}
