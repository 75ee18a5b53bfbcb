/** The public names, so that a new one is always seen in review; and what the package says of itself. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { SCOPE_NAME, SCOPE_VERSION } from "../src/version.ts";

const packageJson = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  name: string;
  version: string;
  exports: Record<string, string | { types: string; default: string }>;
  dependencies?: object;
  peerDependencies: Record<string, string>;
  peerDependenciesMeta: Record<string, { optional: boolean }>;
  devDependencies: Record<string, string>;
};

describe("the doors", () => {
  const doors = Object.entries(packageJson.exports).filter(
    ([door, target]) => typeof target === "object" && door !== "./register",
  );

  it("export these names", async () => {
    const surface: Record<string, string[]> = {};
    for (const [door, target] of doors) {
      const path = (target as { default: string }).default.replace("./dist/", "../src/").replace(/\.js$/, ".ts");
      surface[door] = Object.keys((await import(path)) as object).toSorted();
    }
    expect(surface).toEqual({
      ".": ["ToolError", "ToolException", "classify", "createRecorder", "defaultRules", "resultBlock"],
      "./langchain": ["LangChainInstrumentation", "ToolspanHandler", "instrumentLangChain", "instrumentTool"],
      "./langchain/errors": ["handleErrors"],
      "./node": ["startTracing"],
    });
  });
});

describe("the package", () => {
  it("has no dependencies, one required peer, and pinned development dependencies", () => {
    expect(packageJson.dependencies).toBeUndefined();
    const required = Object.keys(packageJson.peerDependencies).filter(
      (name) => !packageJson.peerDependenciesMeta[name]?.optional,
    );
    expect(required).toEqual(["@opentelemetry/api"]);
    expect(packageJson.peerDependencies["@opentelemetry/api"]).toBe(">=1.9.0 <2");
    for (const version of Object.values(packageJson.devDependencies)) expect(version).toMatch(/^\d/);
  });

  it("is the instrumentation scope", () => {
    expect([SCOPE_NAME, SCOPE_VERSION]).toEqual([packageJson.name, packageJson.version]);
  });
});
