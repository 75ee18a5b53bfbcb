/**
 * Plays the live LangChain tests on the versions that the README names, each set in a folder of its own. Not every product of
 * them: the oldest and the newest LangChain on both lines of OpenTelemetry, and each Node.
 *
 *   core 0.3, langgraph 0.4   2.x line, Node 20 · 3.x line, Node 24
 *   newest of both            2.x line, Node 20, 22, 26 · 3.x line, Node 22, 24, 26
 *
 * node scripts/matrix.mjs [--only WORD] [--keep]
 *
 * What a version does not have is skipped by the tests, and counted here: LangChain 0.3 has no agents with middleware,
 * heeds no signals, and runs no generators.
 * The registry is asked through the ordinary client; nothing else is.
 */
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { installLines, nodeBinary, npmPath } from "./installs.mjs";

const run = promisify(execFile);
const root = join(import.meta.dirname, "..");
const { values } = parseArgs({ options: { only: { type: "string", default: "" }, keep: { type: "boolean" } } });

const LANGCHAIN = {
  0.3: [
    "@langchain/core@~0.3",
    "@langchain/langgraph@~0.4",
    "@langchain/mcp-adapters@~0.6",
    "@modelcontextprotocol/sdk@~1.17.0",
    "zod@^3.25.76",
  ],
  newest: [
    "@langchain/core@^1",
    "@langchain/langgraph@^1",
    "langchain@^1",
    "@langchain/mcp-adapters@^1",
    "@modelcontextprotocol/sdk@^1.20",
    "zod@^4",
  ],
};
const SETS = [
  { langchain: "0.3", line: "2.x", node: "20" },
  { langchain: "0.3", line: "3.x", node: "24" },
  { langchain: "newest", line: "2.x", node: "20" },
  { langchain: "newest", line: "2.x", node: "22" },
  { langchain: "newest", line: "3.x", node: "22" },
  { langchain: "newest", line: "3.x", node: "24" },
  { langchain: "newest", line: "2.x", node: "26" },
  { langchain: "newest", line: "3.x", node: "26" },
];
/** What the tests are written against, whatever is under test. */
const TOOLS = ["@types/node", "protobufjs", "typescript", "vitest"];
const FILES = [
  "src",
  "test/support",
  "test/adapters/langchain",
  "test/export/run-app.ts",
  "tsconfig.json",
  "tsconfig.build.json",
  "vitest.config.ts",
];
const SUITES = [
  "active-span",
  "attach-handler",
  "differential",
  "differential-register",
  "instrument",
  "refusal-stack",
  "register",
  "sightings",
  "situations",
  "wrap",
].map((name) => `test/adapters/langchain/${name}.test.ts`);

/** The harness is written for the 2.x line; these are the classes it uses, made of those of the 3.x line. */
const SDK_OF_3X = `
import { SimpleSpanProcessor as Simple, TracerProvider } from "@opentelemetry/sdk-trace";
export { InMemorySpanExporter } from "@opentelemetry/sdk-trace";
export class NodeTracerProvider extends TracerProvider {}
export class SimpleSpanProcessor extends Simple {
  constructor(exporter) { super({ exporter }); }
}
`;

const { devDependencies } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
const lines = await installLines(root);
const npmCli = await npmPath();
const work = await mkdtemp(join(tmpdir(), "toolspan-matrix-"));
let failures = 0;
try {
  for (const set of SETS) {
    const title = `LangChain ${set.langchain}, OpenTelemetry ${set.line}, Node ${set.node}`;
    if (!title.includes(values.only)) continue;
    const { isRight, words } = await play(set, join(work, title.replaceAll(/[^\w.]+/g, "-"))).catch((error) => ({
      isRight: false,
      words: `${error.stdout ?? ""}${error.stderr ?? error}`,
    }));
    console.log(`${isRight ? "✓" : "✗"} ${title}: ${words}`);
    if (!isRight) failures += 1;
  }
} finally {
  if (values.keep) console.log(work);
  else await rm(work, { recursive: true, force: true });
}
process.exitCode = failures > 0 ? 1 : 0;

async function play({ langchain, line, node }, folder) {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: "toolspan", private: true, type: "module" }));
  for (const file of FILES) await cp(join(root, file), join(folder, file), { recursive: true });
  const bin = await nodeBinary(node, work);
  const tools = TOOLS.map((name) => `${name}@${devDependencies[name]}`);
  // npm itself runs on the Node under test, so that it resolves as it would there.
  const words = ["install", "--no-audit", "--no-fund", ...lines[line], ...LANGCHAIN[langchain], ...tools];
  await run(bin, [npmCli, ...words], { cwd: folder });
  await fillIn(folder, { langchain, line });
  const vitest = [join(folder, "node_modules/vitest/vitest.mjs"), "run", "--reporter=json", "--outputFile=report.json"];
  await run(bin, [...vitest, ...SUITES], { cwd: folder, maxBuffer: 2 ** 28 }).catch(() => undefined);
  return report(JSON.parse(await readFile(join(folder, "report.json"), "utf8")));
}

/** What the shared harness imports and this set has not, under the same name: without content, or of the other line. */
async function fillIn(folder, { langchain, line }) {
  const stand = async (name, source) => {
    const place = join(folder, "node_modules", name);
    await mkdir(place, { recursive: true });
    await writeFile(join(place, "package.json"), JSON.stringify({ name, type: "module", exports: "./index.js" }));
    await writeFile(join(place, "index.js"), source);
  };
  if (langchain === "0.3") await stand("langchain", "export {};\n");
  if (line === "3.x") await stand("@opentelemetry/sdk-trace-node", SDK_OF_3X);
}

function report({ testResults, numPassedTests, numPendingTests, numFailedTests }) {
  const broken = testResults.filter(
    ({ status, assertionResults }) => status === "failed" && assertionResults.length === 0,
  );
  const failed = testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => status === "failed"),
  );
  const faults = [
    ...broken.map(({ name, message }) => `  ${name}: ${message}`),
    ...failed.map(({ fullName, failureMessages }) => `  ${fullName}\n    ${failureMessages[0]?.split("\n")[0]}`),
  ];
  const words = [`${numPassedTests} right, ${numFailedTests} wrong, ${numPendingTests} skipped`, ...faults].join("\n");
  return { isRight: faults.length === 0 && numPassedTests > 0, words };
}
