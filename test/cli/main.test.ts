import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { DEMO_PACKAGES, installLine } from "../../src/cli/demo/packages.ts";
import { main } from "../../src/cli/main.ts";

async function run(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const written = { stdout: "", stderr: "" };
  const code = await main(args, {
    stdout: { write: (text) => (written.stdout += text) },
    stderr: { write: (text) => (written.stderr += text) },
    env: {},
    cwd: process.cwd(),
  });
  return { code, ...written };
}

const packageJson = JSON.parse(readFileSync("package.json", "utf8")) as {
  readonly version: string;
  readonly devDependencies: Readonly<Record<string, string>>;
};

describe("toolspan", () => {
  it("says what it can do", async () => {
    expect(await run("--help")).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("demo") });
    expect(await run("-h")).toEqual(await run("--help"));
  });

  it("says its version", async () => {
    expect(await run("--version")).toEqual({ code: 0, stdout: `${packageJson.version}\n`, stderr: "" });
  });

  it("without a command shows the help as a mistake", async () => {
    const { code, stdout, stderr } = await run();
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toBe((await run("--help")).stdout);
  });

  it.each([
    [["dmeo"], `toolspan: unknown command "dmeo"; see toolspan --help\n`],
    [["--jsno"], `toolspan: unknown option "--jsno"; see toolspan --help\n`],
    [["toString"], `toolspan: unknown command "toString"; see toolspan --help\n`],
    [["demo", "--jsno"], "toolspan: demo: unknown option '--jsno'; see toolspan demo --help\n"],
    [["demo", "-x"], "toolspan: demo: unknown option '-x'; see toolspan demo --help\n"],
    [["demo", "lisbon"], "toolspan: demo: unexpected argument 'lisbon'; see toolspan demo --help\n"],
    [["demo", "--json=yes"], "toolspan: demo: option '--json' does not take an argument; see toolspan demo --help\n"],
  ])("%j is one clear line and exit code 2", async (args, line) => {
    expect(await run(...args)).toEqual({ code: 2, stdout: "", stderr: line });
  });

  it("says what a command can do", async () => {
    expect(await run("demo", "--help")).toMatchObject({
      code: 0,
      stderr: "",
      stdout: expect.stringContaining("--json"),
    });
  });
});

describe("the packages the demo plays", () => {
  it("are those the project is tried with", () => {
    const tried = Object.keys(DEMO_PACKAGES).map((name) => [name, packageJson.devDependencies[name]]);
    expect(DEMO_PACKAGES).toEqual(Object.fromEntries(tried));
  });

  it("are installed by one line, pinned", () => {
    expect(installLine(["langchain", "zod"])).toBe(
      `npm install --save-dev langchain@${DEMO_PACKAGES["langchain"]} zod@${DEMO_PACKAGES["zod"]}`,
    );
  });
});
