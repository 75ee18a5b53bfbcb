/** The public names, so that a new one is always seen in review; and what the package says of itself. */
import { readFileSync } from "node:fs";
import { afterEach, describe, expect, expectTypeOf, it, vi } from "vitest";
import type * as errorsDoor from "toolspan/langchain/errors";
import type * as langchainDoor from "toolspan/langchain";
import type * as nodeDoor from "toolspan/node";
import type * as rootDoor from "toolspan";
import { SCOPE_NAME, SCOPE_VERSION } from "../src/version.ts";

const packageJson = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  name: string;
  version: string;
  exports: Record<string, string | { types: string; default: string }>;
  sideEffects: readonly string[];
  dependencies?: object;
  peerDependencies: Record<string, string>;
  peerDependenciesMeta: Record<string, { optional: boolean }>;
  devDependencies: Record<string, string>;
};

describe("the doors", () => {
  const doors = Object.entries(packageJson.exports).flatMap(([door, target]) =>
    typeof target === "object" ? [[door, target] as const] : [],
  );
  const sourceOf = (path: string): string => path.replace("./dist/", "../src/").replace(/(?:\.d\.ts|\.js)$/, ".ts");
  const listed = async (namesOf: (path: string) => Promise<readonly string[]> | readonly string[]) =>
    Object.fromEntries(
      await Promise.all(
        doors.map(async ([door, { default: path }]) => [door, (await namesOf(sourceOf(path))).toSorted()] as const),
      ),
    );
  afterEach(() => vi.unstubAllEnvs());

  it("export these values", async () => {
    vi.stubEnv("OTEL_SDK_DISABLED", "true"); // else the last door would start tracing here
    expect(await listed(async (path) => Object.keys((await import(path)) as object))).toEqual({
      ".": ["ToolError", "ToolException", "classify", "createRecorder", "defaultRules", "resultBlock"],
      "./langchain": ["LangChainInstrumentation", "ToolspanHandler", "instrumentLangChain", "instrumentTool"],
      "./langchain/errors": ["handleErrors"],
      "./node": ["startTracing"],
      "./register": [],
    });
  });

  it("export these types", async () => {
    expect(await listed((path) => typesIn(readFileSync(new URL(path, import.meta.url), "utf8")))).toEqual({
      ".": [
        "CallFacts",
        "CaptureContent",
        "ContentPlace",
        "ErrorOutput",
        "Failure",
        "Limits",
        "NoFailure",
        "Ok",
        "Outcome",
        "OutcomeKind",
        "ParentRun",
        "Recorder",
        "RecorderOptions",
        "Rule",
        "RunKey",
        "SettledCall",
        "ToolCall",
        "ToolEnd",
        "ToolErrorKind",
      ],
      "./langchain": ["LangChainInstrumentationConfig", "ToolspanHandlerOptions"],
      "./langchain/errors": ["ErrorHandler", "ErrorPolicy", "ErrorSetting", "HandleableTool"],
      "./node": ["SignalState", "Tracing", "TracingOptions"],
      "./register": [],
    });
  });

  it("have the types of the file they lead to", () => {
    for (const [, { types, default: path }] of doors) expect(sourceOf(types)).toBe(sourceOf(path));
  });

  it("take the same options at every door", () => {
    type Options = rootDoor.RecorderOptions;
    expectTypeOf<Parameters<typeof rootDoor.createRecorder>[0]>().toEqualTypeOf<Options | undefined>();
    expectTypeOf<ConstructorParameters<typeof langchainDoor.ToolspanHandler>[0]>().toEqualTypeOf<Options | undefined>();
    expectTypeOf<Parameters<typeof langchainDoor.instrumentLangChain>[1]>().toEqualTypeOf<Options | undefined>();
    expectTypeOf<Parameters<typeof langchainDoor.instrumentTool>[1]>().toEqualTypeOf<Options | undefined>();
    expectTypeOf<langchainDoor.LangChainInstrumentationConfig>().toExtend<Options>();
  });

  it("give back what their users hold on to", () => {
    expectTypeOf<ReturnType<typeof langchainDoor.instrumentLangChain>>().toEqualTypeOf<() => void>();
    expectTypeOf<ReturnType<typeof nodeDoor.startTracing>>().resolves.toEqualTypeOf<nodeDoor.Tracing>();
    expectTypeOf<ReturnType<typeof errorsDoor.handleErrors<CustomTool>>>().toEqualTypeOf<CustomTool>();
    expectTypeOf<rootDoor.ToolError["kind"]>().toEqualTypeOf<rootDoor.ToolErrorKind>();
  });

  it("that does something when it is loaded is not dropped by bundlers", () => {
    const { default: register } = packageJson.exports["./register"] as { default: string };
    expect(packageJson.sideEffects).toEqual([register]);
  });
});

/** The types which a module names in its exports: those it passes on, and its own. */
function typesIn(source: string): readonly string[] {
  const passedOn = [...source.matchAll(/^export type \{([^}]+)\}/gm)].flatMap(([, names]) => names!.split(","));
  const own = [...source.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => name!);
  return [...passedOn.map((name) => name.trim()), ...own];
}

/** A tool with more than LangChain asks for: that too is there after its errors are handled. */
interface CustomTool extends errorsDoor.HandleableTool {
  readonly owner: string;
}

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
