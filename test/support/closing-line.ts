import type { Reporter, TestModule } from "vitest/node";

/** Ends the run with the one line that CI reads: `N passed, N failed`. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const states = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state));
    const broken = modules.filter(
      (module) => module.state() === "failed" && [...module.children.allTests("failed")].length === 0,
    );
    const count = (state: string): number => states.filter((one) => one === state).length;
    const skipped = count("skipped") > 0 ? `, ${count("skipped")} skipped` : "";
    console.log(`${count("passed")} passed, ${count("failed") + broken.length + errors.length} failed${skipped}`);
  }
}
