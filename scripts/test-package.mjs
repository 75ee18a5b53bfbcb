/**
 * Installs the packed package as its users do and opens each of its doors: an ESM and a CommonJS project, on each Node the
 * README names, with the README's own install lines. The registry is asked through the ordinary client; nothing else is.
 */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { installLines, nodeBinary, npmPath } from "./installs.mjs";

const run = promisify(execFile);
const root = join(import.meta.dirname, "..");
const npmCli = await npmPath();

/** An application of each door but the last. */
const OWN_CODE = {
  names: {
    toolspan: "createRecorder, ToolException",
    "toolspan/langchain": "instrumentLangChain, ToolspanHandler",
    "toolspan/langchain/errors": "handleErrors",
    "toolspan/node": "startTracing",
    "@langchain/core/messages": "ToolMessage",
    "@langchain/core/tools": "StructuredTool, tool",
  },
  code: `
async function main() {
  const tracing = await startTracing();
  createRecorder().run({ name: "plain" }, () => "fine");
  const schema = { type: "object", properties: { q: { type: "string" } }, required: ["q"] };
  const failing = tool(async (_, config) => new ToolMessage({ content: "no", tool_call_id: config.toolCall.id, status: "error" }),
    { name: "failing", description: "d", schema });
  await failing.invoke({ name: "failing", args: { q: "x" }, id: "c1", type: "tool_call" }, { callbacks: [new ToolspanHandler()] });
  const throwing = tool(async () => { throw new ToolException("no"); }, { name: "handled", description: "d", schema });
  await handleErrors(throwing, { handleToolError: true }).invoke({ q: "x" }, { callbacks: [new ToolspanHandler()] });
  instrumentLangChain({ StructuredTool });
  await failing.invoke({ bad: 1 }).catch(() => undefined);
  process.env.OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN = "logs";
  const { logs } = await import("@opentelemetry/api");
  const emit = ({ eventName, attributes }) => console.log(eventName, attributes["exception.type"]);
  logs?.setGlobalLoggerProvider({ getLogger: () => ({ emit, enabled: () => true }) });
  try {
    createRecorder().run({ name: "throwing" }, () => { throw new RangeError("no"); });
  } catch {}
  await tracing.shutdown();
}
main();
`,
  /** The API of the 3.x line has logs, so there the exception is a log record, as the application asks. */
  wanted: (line) => ({
    spans: [
      ["execute_tool plain", 0, null, 0],
      ["execute_tool failing", 2, "tool_error", 0],
      ["execute_tool handled", 2, "ToolException", 1],
      ["execute_tool failing", 2, "invalid_arguments", 1],
      ["execute_tool throwing", 2, "RangeError", line === "3.x" ? 0 : 1],
    ],
    stdout: line === "3.x" ? "gen_ai.execute_tool.exception RangeError" : "",
  }),
};
/** One that knows nothing of us, for the last door. */
const UNMODIFIED = {
  node: ["--import", "toolspan/register"],
  names: { "@langchain/core/messages": "ToolMessage", "@langchain/core/tools": "tool" },
  code: `
const failing = tool(async (_, config) => new ToolMessage({ content: "no", tool_call_id: config.toolCall.id, status: "error" }),
  { name: "failing", description: "d", schema: { type: "object", properties: {} } });
failing.invoke({ name: "failing", args: {}, id: "c1", type: "tool_call" });
`,
  wanted: () => ({ spans: [["execute_tool failing", 2, "tool_error", 0]], stdout: "" }),
};

const FORMS = {
  esm: (names, from) => `import { ${names} } from "${from}";`,
  cjs: (names, from) => `const { ${names} } = require("${from}");`,
};
const SUBJECTS = [
  { form: "esm", line: "2.x" },
  { form: "cjs", line: "2.x" },
  { form: "esm", line: "2.x", node: "22" },
  { form: "esm", line: "3.x", node: "22" },
  { form: "cjs", line: "3.x", node: "24" },
  { form: "esm", line: "2.x", node: "24" },
  { form: "esm", line: "2.x", node: "26" },
  { form: "esm", line: "3.x", node: "26" },
];

const lines = await installLines(root);
const work = await mkdtemp(join(tmpdir(), "toolspan-package-"));
const sink = await startSink();
let failures = 0;
try {
  const { stdout } = await run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", work], {
    cwd: root,
  });
  const tarball = join(work, JSON.parse(stdout)[0].filename);
  for (const [index, subject] of SUBJECTS.entries()) {
    const fault = await openDoors(subject, tarball, join(work, String(index))).catch(
      (error) => error.stderr || String(error),
    );
    const title = `${subject.form}, ${subject.line} line, Node ${subject.node ?? process.versions.node}`;
    console.log(`${fault ? "✗" : "✓"} ${title}${fault ? `\n${fault}` : ""}`);
    if (fault) failures++;
  }
} finally {
  await sink.close();
  await rm(work, { recursive: true, force: true });
}
process.exitCode = failures > 0 ? 1 : 0;

/** @returns what went wrong, or nothing */
async function openDoors({ form, line, node }, tarball, folder) {
  await mkdir(folder);
  const type = form === "esm" ? "module" : "commonjs";
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, type }));
  const bin = node ? await nodeBinary(node, work) : process.execPath;
  // npm itself runs on the Node under test, so that it resolves as it would there.
  const npm = (...words) =>
    run(bin, [npmCli, "install", "--no-audit", "--no-fund", "--engine-strict", ...words], { cwd: folder });
  await npm(tarball, ...lines[line]);
  await npm("@langchain/core@1.4.0");
  for (const app of [OWN_CODE, UNMODIFIED]) {
    const imports = Object.entries(app.names).map(([from, names]) => FORMS[form](names, from));
    await writeFile(join(folder, "app.js"), `${imports.join("\n")}${app.code}`);
    const env = {
      ...process.env,
      OTEL_EXPORTER_OTLP_ENDPOINT: sink.endpoint,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    };
    const { stdout, stderr } = await run(bin, [...(app.node ?? []), "app.js"], { cwd: folder, env, timeout: 60_000 });
    const [wanted, got] = [app.wanted(line), { spans: sink.takeSpans(), stdout: stdout.trim() }].map((one) =>
      JSON.stringify(one),
    );
    if (wanted !== got || stderr !== "") return `wanted ${wanted}\ngot    ${got}\n${stderr}`;
  }
  return undefined;
}

/** The least that takes OTLP/HTTP with JSON: name, status, error.type and number of events of each span, in their order. */
async function startSink() {
  const spans = [];
  const server = createServer(async (request, response) => {
    const body = await json(request);
    if (request.url === "/v1/traces")
      spans.push(...body.resourceSpans.flatMap((one) => one.scopeSpans.flatMap((scope) => scope.spans)));
    response.end("{}");
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    endpoint: `http://127.0.0.1:${server.address().port}`,
    takeSpans: () =>
      spans
        .splice(0)
        .map(({ name, status, attributes, events }) => [
          name,
          status.code ?? 0,
          attributes.find(({ key }) => key === "error.type")?.value.stringValue ?? null,
          events?.length ?? 0,
        ]),
    close: () => new Promise((closed) => (server.close(closed), server.closeAllConnections())),
  };
}
