/** `node --import toolspan/register app.js`: real processes, unmodified applications, the real receiver. */
import { spawn } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { pathToFileURL } from "node:url";
import { counted, useWorkshop } from "../../export/run-app.ts";

const workshop = useWorkshop();

/** An application that knows nothing of toolspan; its own spans show what is active inside its tools. */
const APP = `
class Scripted extends BaseChatModel {
  next = 0;
  constructor(answers) { super({}); this.answers = answers; }
  _llmType() { return "scripted"; }
  bindTools() { return this; }
  async _generate() {
    const message = this.answers[Math.min(this.next++, this.answers.length - 1)];
    return { generations: [{ text: String(message.content), message }] };
  }
}
const schema = z.object({ q: z.string() });
const search = tool(async ({ q }) => { trace.getTracer("app").startSpan("HTTP GET").end(); return "found " + q; }, { name: "search", description: "d", schema });
const book = tool(async (_, config) => new ToolMessage({ content: "sold out", status: "error", tool_call_id: config.toolCall.id, name: "book" }), { name: "book", description: "d", schema });
class Pay extends StructuredTool { name = "pay"; description = "d"; schema = schema; async _call() { throw new RangeError("no money"); } }
const call = (name, args, id) => ({ type: "tool_call", name, args, id });
const model = new Scripted([
  new AIMessage({ content: "", tool_calls: [call("search", { q: "x" }, "c1"), call("book", { q: "x" }, "c2"), call("pay", { q: "x" }, "c3"), call("search", { bad: 1 }, "c4")] }),
  new AIMessage("done"),
]);
async function main() {
  const heard = [];
  const own = { name: "own", awaitHandlers: true, handleToolStart: (...all) => heard.push("start " + all[7]), handleToolEnd: () => heard.push("end"), handleToolError: () => heard.push("error") };
  const agent = createReactAgent({ llm: model, tools: [search, book, new Pay()] });
  const { messages } = await agent.invoke({ messages: [{ role: "user", content: "go" }] }, { callbacks: [own, ...MORE] });
  console.log(JSON.stringify([messages.map((message) => [message.getType(), message.content, message.status]), heard]));
}
main();
`;
const NAMES = {
  "@langchain/core/language_models/chat_models": "BaseChatModel",
  "@langchain/core/messages": "AIMessage, ToolMessage",
  "@langchain/core/tools": "StructuredTool, tool",
  "@langchain/langgraph/prebuilt": "createReactAgent",
  "@opentelemetry/api": "trace",
  zod: "z",
};
const lines = (line: (names: string, from: string) => string) =>
  Object.entries(NAMES)
    .map(([from, names]) => line(names, from))
    .join("\n");
const source = {
  mjs: lines((names, from) => `import { ${names} } from "${from}";`),
  cjs: lines((names, from) => `const { ${names} } = require("${from}");`),
} as const;

interface Options {
  readonly form?: keyof typeof source;
  readonly more?: string;
  readonly register?: string | undefined;
  readonly environment?: Record<string, string>;
  readonly folder?: string;
}

let count = 0;
/** Runs the application; with `register: undefined` as it was. */
async function runApp({ form = "mjs", more = "const MORE = [];", folder, environment, ...options }: Options = {}) {
  const place = folder ?? dirname(workshop.dist);
  const file = join(place, `unmodified-${(count += 1)}.${form}`);
  writeFileSync(file, `${source[form]}\n${more}\n${APP}`);
  const door = "register" in options ? options.register : pathToFileURL(join(workshop.dist, "register.js")).href;
  const child = spawn(process.execPath, [...(door ? ["--import", door] : []), file], {
    cwd: place,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: workshop.receiver.endpoint, ...environment },
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (part: Buffer) => (stdout += part.toString()));
  child.stderr.on("data", (part: Buffer) => (stderr += part.toString()));
  const code = await new Promise((settle) => child.on("close", settle));
  return { code, stdout, stderr };
}

const toolSpans = () =>
  workshop.receiver.spans
    .filter(({ name }) => name.startsWith("execute_tool"))
    .map(({ name, status, attributes }) => [
      name,
      status.code,
      attributes["error.type"],
      attributes["gen_ai.tool.call.id"],
    ])
    .toSorted((one, other) => String(one[3]).localeCompare(String(other[3])));
const WANTED = [
  ["execute_tool search", 0, undefined, "c1"],
  ["execute_tool book", 2, "tool_error", "c2"],
  ["execute_tool pay", 2, "RangeError", "c3"],
  ["execute_tool search", 2, "invalid_arguments", "c4"],
];

describe("toolspan/register", () => {
  it.each(["mjs", "cjs"] as const)("traces an application as it is, and changes nothing for it: %s", async (form) => {
    const bare = await runApp({ form, register: undefined });
    const { code, stdout, stderr } = await runApp({ form });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    // The stack which a refused call's message carries has the file's own path in it, and the file has a number.
    expect(stdout.replaceAll(/unmodified-\d+/g, "")).toBe(bare.stdout.replaceAll(/unmodified-\d+/g, ""));
    expect(toolSpans()).toEqual(WANTED);
    expect(counted(workshop.receiver)).toEqual({ runs: 4, failed: 3 });
    const inner = workshop.receiver.spans.find(({ name }) => name === "HTTP GET");
    const outer = workshop.receiver.spans.find(({ attributes }) => attributes["gen_ai.tool.call.id"] === "c1");
    expect(inner?.parentSpanId).toBe(outer?.spanId);
  });

  it("attaches one handler, also where the application has its own", async () => {
    const door = pathToFileURL(join(workshop.dist, "adapters/langchain.js")).href;
    const more = `import { ToolspanHandler } from "${door}"; const MORE = [new ToolspanHandler()];`;
    const { stderr } = await runApp({ more });
    expect(stderr).toBe("");
    expect(toolSpans()).toEqual(WANTED);
  });

  it.each([
    ["OTEL_SDK_DISABLED", { OTEL_SDK_DISABLED: "true" }],
    ["no exporter for either signal", { OTEL_TRACES_EXPORTER: "none", OTEL_METRICS_EXPORTER: "none" }],
  ])("loads nothing when it is switched off: %s", async (_title, environment) => {
    // Nothing but the door and the switch is there to be loaded.
    const folder = mkdtempSync(join(dirname(workshop.dist), "off-"));
    mkdirSync(join(folder, "register"));
    for (const file of ["register.js", "register/switched-off.js"])
      copyFileSync(join(workshop.dist, file), join(folder, file));
    const register = pathToFileURL(join(folder, "register.js")).href;
    const { code, stdout, stderr } = await runApp({ register, environment });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toHaveLength(2);
    expect(workshop.receiver.spans).toEqual([]);
    const on = await runApp({ register });
    expect(on.stderr).toContain("start-registered.js");
  });

  it("sends the one signal that is left", async () => {
    await runApp({ environment: { OTEL_TRACES_EXPORTER: "none" } });
    expect(workshop.receiver.spans).toEqual([]);
    expect(counted(workshop.receiver)).toEqual({ runs: 4, failed: 3 });
  });

  it("without the SDK's packages the application runs on, and the command that installs them is said", async () => {
    const folder = mkdtempSync(join(tmpdir(), "toolspan-register-"));
    try {
      cpSync(workshop.dist, join(folder, "dist"), { recursive: true });
      writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
      for (const name of ["@langchain/core", "@langchain/langgraph", "@opentelemetry/api", "zod"]) {
        mkdirSync(dirname(join(folder, "node_modules", name)), { recursive: true });
        symlinkSync(resolve("node_modules", name), join(folder, "node_modules", name));
      }
      const register = pathToFileURL(join(folder, "dist/register.js")).href;
      const { code, stdout, stderr } = await runApp({ folder, register });
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toHaveLength(2);
      expect(stderr).toMatch(
        /^toolspan: startTracing needs OpenTelemetry's SDK packages\. Install them: npm install .*\n$/,
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
