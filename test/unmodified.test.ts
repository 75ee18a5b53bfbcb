/** The README's commands for an application that stays as it is, word for word, in a project that has the package. */
import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { counted, useWorkshop } from "./export/run-app.ts";

const workshop = useWorkshop();
const readme = readFileSync("README.md", "utf8");
const commands = [...readme.matchAll(/^node (--import .*)$/gm)].map(([, words]) => words!.split(" "));

/** An SDK of the application's own, as `OTEL_…` variables say; its spans have a mark. */
const TRACING = `
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
const spanProcessors = [new BatchSpanProcessor(new OTLPTraceExporter())];
const provider = new NodeTracerProvider({ resource: resourceFromAttributes({ "service.name": "own" }), spanProcessors });
provider.register();
process.on("beforeExit", () => provider.forceFlush());
`;

beforeAll(() => {
  const folder = dirname(workshop.dist);
  const installed = join(folder, "node_modules/toolspan");
  mkdirSync(installed, { recursive: true });
  copyFileSync("package.json", join(installed, "package.json"));
  symlinkSync(workshop.dist, join(installed, "dist"));
  copyFileSync("examples/unmodified.js", join(folder, "app.js"));
  writeFileSync(join(folder, "tracing.js"), TRACING);
});

async function run(words: readonly string[]) {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, words, {
    cwd: dirname(workshop.dist),
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: workshop.receiver.endpoint, OTEL_SERVICE_NAME: "travel-desk" },
  });
  const spans = workshop.receiver.spans.map(({ name, status, attributes, resource }) => [
    name,
    status.code,
    attributes["error.type"],
    resource["service.name"],
  ]);
  return { stdout, stderr, spans };
}

const spansOf = (service: string) => [
  ["chat", 0, undefined, service],
  ["execute_tool weather", 2, "RangeError", service],
  ["chat", 0, undefined, service],
  ["invoke_agent", 0, undefined, service],
];

describe("the README's commands", () => {
  it("are these", () => {
    expect(commands).toEqual([
      ["--import", "toolspan/register", "app.js"],
      ["--import", "./tracing.js", "--import", "toolspan/register", "app.js"],
    ]);
  });

  it("trace an application that has no SDK", async () => {
    const { stdout, stderr, spans } = await run(commands[0]!);
    expect([stdout, stderr]).toEqual(["I could not find out.\n", ""]);
    expect(spans).toEqual(spansOf("travel-desk"));
    expect(counted(workshop.receiver)).toEqual({ runs: 1, failed: 1 });
  });

  it("leave to an application that has an SDK what is its own", async () => {
    const { stdout, stderr, spans } = await run(commands[1]!);
    expect([stdout, stderr]).toEqual(["I could not find out.\n", ""]);
    expect(spans).toEqual(spansOf("own"));
    // It has no meter provider: that signal is set up for it.
    expect(counted(workshop.receiver)).toEqual({ runs: 1, failed: 1 });
  });
});
