/**
 * Installs the packed package as its users do and traces a tool with it: an ESM and a CommonJS project, on each Node the
 * README names, with the README's own install lines. The registry is asked through the ordinary client; nothing else is.
 */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = join(import.meta.dirname, "..");
const npmCli = await npmPath();

/** The app's own OTLP sink, and a LangChain tool that answers with a failure. */
const app = `
const sink = createServer((request, response) => {
  let body = "";
  request.on("data", (part) => (body += part)).on("end", () => {
    if (request.url === "/v1/traces") spans.push(...JSON.parse(body).resourceSpans.flatMap((r) => r.scopeSpans.flatMap((s) => s.spans)));
    response.end("{}");
  });
});
const spans = [];
sink.listen(0, "127.0.0.1", async () => {
  const tracing = await startTracing({ endpoint: "http://127.0.0.1:" + sink.address().port });
  createRecorder().run({ name: "plain" }, () => "fine");
  const failing = tool(async (_, config) => new ToolMessage({ content: "no", tool_call_id: config.toolCall.id, status: "error" }),
    { name: "failing", description: "d", schema: { type: "object", properties: {} } });
  await failing.invoke({ name: "failing", args: {}, id: "c1", type: "tool_call" }, { callbacks: [new ToolspanHandler()] });
  process.env.OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN = "logs";
  const { logs } = await import("@opentelemetry/api");
  const records = [];
  logs?.setGlobalLoggerProvider({ getLogger: () => ({ emit: (record) => records.push(record), enabled: () => true }) });
  try {
    createRecorder().run({ name: "throwing" }, () => { throw new RangeError("no"); });
  } catch {}
  await tracing.shutdown();
  sink.close();
  sink.closeAllConnections();
  const seen = spans.map(({ name, status, attributes, events }) =>
    [name, status.code ?? 0, attributes.find(({ key }) => key === "error.type")?.value.stringValue ?? null, events?.length ?? 0]);
  console.log(JSON.stringify([...seen, ...records.map(({ eventName, attributes }) => [eventName, attributes["exception.type"]])]));
});
`;
const names = {
  "node:http": "createServer",
  toolspan: "createRecorder",
  "toolspan/langchain": "ToolspanHandler",
  "toolspan/node": "startTracing",
  "@langchain/core/messages": "ToolMessage",
  "@langchain/core/tools": "tool",
};
const source = {
  esm:
    Object.entries(names)
      .map(([from, name]) => `import { ${name} } from "${from}";`)
      .join("\n") + app,
  cjs:
    Object.entries(names)
      .map(([from, name]) => `const { ${name} } = require("${from}");`)
      .join("\n") + app,
};
/** The API of the 3.x line has logs, so there the exception is a log record, as the app asks. */
const wanted = (line) =>
  JSON.stringify([
    ["execute_tool plain", 0, null, 0],
    ["execute_tool failing", 2, "tool_error", 0],
    ["execute_tool throwing", 2, "RangeError", line === line3x ? 0 : 1],
    ...(line === line3x ? [["gen_ai.execute_tool.exception", "RangeError"]] : []),
  ]);

const [line2x, line3x] = installLines(await readFile(join(root, "README.md"), "utf8"));
const subjects = [
  { title: "ESM, 2.x line, this Node", form: "esm", line: line2x },
  { title: "CommonJS, 2.x line, this Node", form: "cjs", line: line2x },
  { title: "ESM, 2.x line, Node 22", form: "esm", line: line2x, node: "22" },
  { title: "ESM, 3.x line, Node 22", form: "esm", line: line3x, node: "22" },
  { title: "CommonJS, 3.x line, Node 24", form: "cjs", line: line3x, node: "24" },
  { title: "ESM, 2.x line, Node 24", form: "esm", line: line2x, node: "24" },
  { title: "ESM, 2.x line, Node 26", form: "esm", line: line2x, node: "26" },
  { title: "ESM, 3.x line, Node 26", form: "esm", line: line3x, node: "26" },
];

const work = await mkdtemp(join(tmpdir(), "toolspan-package-"));
let failures = 0;
try {
  const { stdout } = await run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", work], {
    cwd: root,
  });
  const tarball = join(work, JSON.parse(stdout)[0].filename);
  for (const [index, subject] of subjects.entries()) {
    const fault = await traceWith(subject, tarball, join(work, String(index))).catch(
      (error) => error.stderr || String(error),
    );
    console.log(`${fault ? "✗" : "✓"} ${subject.title}${fault ? `\n${fault}` : ""}`);
    if (fault) failures++;
  }
} finally {
  await rm(work, { recursive: true, force: true });
}
process.exitCode = failures > 0 ? 1 : 0;

/** @returns what went wrong, or nothing */
async function traceWith({ form, line, node }, tarball, folder) {
  await mkdir(folder);
  await writeFile(
    join(folder, "package.json"),
    JSON.stringify({ private: true, type: form === "esm" ? "module" : "commonjs" }),
  );
  await writeFile(join(folder, "app.js"), source[form]);
  const bin = node ? await nodeBinary(node) : process.execPath;
  const packages = line.replace(/^npm install toolspan /, "").split(" ");
  // npm itself runs on the Node under test, so that it resolves as it would there.
  const npm = (...words) =>
    run(bin, [npmCli, "install", "--no-audit", "--no-fund", "--engine-strict", ...words], { cwd: folder });
  await npm(tarball, ...packages);
  await npm("@langchain/core@1.4.0");
  const { stdout, stderr } = await run(bin, ["app.js"], { cwd: folder, timeout: 60_000 });
  const isRight = stdout.trim() === wanted(line) && stderr === "";
  return isRight ? undefined : `wanted ${wanted(line)}\ngot    ${stdout.trim()}\n${stderr}`;
}

async function nodeBinary(version) {
  const folder = join(work, `node-${version}`);
  const bin = join(folder, "node_modules", "node", "bin", "node");
  await mkdir(folder, { recursive: true });
  const installed = await run(bin, ["--version"]).catch(() => undefined);
  if (!installed)
    await run("npm", ["install", "--prefix", folder, "--no-audit", "--no-fund", `node@${version}`], { cwd: folder });
  return bin;
}

/** The README's install lines, in its order: the 2.x line, the 3.x line. */
function installLines(readme) {
  const lines = [...readme.matchAll(/^npm install toolspan .+$/gm)].map(([line]) => line);
  if (lines.length !== 2) throw new Error(`the README has ${lines.length} install lines with versions, not 2`);
  return lines;
}

async function npmPath() {
  if (process.env.npm_execpath?.endsWith("npm-cli.js")) return process.env.npm_execpath;
  const { stdout } = await run("npm", ["root", "--global"]);
  return join(stdout.trim(), "npm", "bin", "npm-cli.js");
}
