import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DEMO_PACKAGES, installLine } from "../../src/cli/demo/packages.ts";
import { startReceiver } from "../../src/cli/receiver/receiver.ts";
import type { Run } from "../support/built-command.ts";
import { BIN, buildCommand, OUT_DIR, runCommand } from "../support/built-command.ts";

interface SpanJson {
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly status: string;
  readonly durationMs: number;
  readonly outcome?: string;
  readonly errorType?: string;
  readonly peerStatus?: string;
  readonly children: readonly SpanJson[];
}

interface ReportJson {
  readonly traces: readonly (SpanJson & { readonly traceId: string })[];
  readonly tools: readonly { readonly tool: string; readonly failed: number }[];
  readonly totals: unknown;
  readonly peer: { readonly name: string };
  readonly sentTo: readonly string[];
  readonly faults: readonly string[];
}

const folder = mkdtempSync(join(tmpdir(), "toolspan-demo-"));
beforeAll(buildCommand, 60_000);
afterAll(() => rmSync(folder, { recursive: true }));

const ESCAPE = String.fromCharCode(27);

describe("toolspan demo --json", () => {
  let run: Run;
  let report: ReportJson;

  beforeAll(async () => {
    // What would change the demo's tracing, were it not cleared.
    const spoilers = { OTEL_SDK_DISABLED: "true", OTEL_TRACES_SAMPLER: "always_off", OTEL_TRACES_EXPORTER: "none" };
    run = await runCommand(["demo", "--json"], spoilers);
    report = JSON.parse(run.stdout) as ReportJson;
  });

  it("prints JSON and nothing else", () => {
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(`${JSON.stringify(report, undefined, 2)}\n`).toBe(run.stdout);
  });

  it("counts each tool's calls, failures and stops, and what the other tracer made of them", () => {
    expect(report.tools).toEqual([
      tool("check_visa", 1, 1, { byErrorType: { timeout: 1 }, peer: peer(1, 1) }),
      tool("convert_money", 2, 1, { byErrorType: { RateFeedError: 1 }, peer: peer(2, 1) }),
      tool("find_hotel", 2, 1, { byErrorType: { ToolException: 1 }, peer: peer(2, 1) }),
      tool("get_weather", 2, 0, { peer: peer(2, 0) }),
      tool("hold_seat", 4, 2, { byErrorType: { tool_error: 2 }, peer: peer(4, 0, 2) }),
      tool("pay_invoice", 2, 0, { stops: { interrupted: 1 }, peer: peer(2, 1, 0, 1) }),
      tool("plan_route", 1, 0, { stops: { cancelled: 1 }, peer: peer(1, 1, 0, 1) }),
      tool("search_flights", 4, 2, { byErrorType: { tool_error: 2 }, peer: peer(4, 0, 2) }),
    ]);
    expect(report.totals).toEqual({
      calls: 18,
      failed: 7,
      stops: { cancelled: 1, interrupted: 1 },
      peer: peer(18, 5, 4, 2),
    });
    expect(report.peer.name).toBe("@arizeai/openinference-instrumentation-langchain");
    expect(report.faults).toEqual([]);
    expect(report.sentTo).toEqual([]);
  });

  it("has each request's trace as a tree, the request's own span unset", () => {
    const shown = report.traces.map((root) => [
      root.name,
      root.status,
      ...root.children
        .map((span) =>
          [span.name, span.status, span.outcome, span.errorType, `peer ${span.peerStatus}`].filter(Boolean),
        )
        .map((words) => words.join(" ")),
    ]);
    const weather = "execute_tool get_weather UNSET ok peer OK";
    const flights = "execute_tool search_flights UNSET ok peer OK";
    const soldOut = "execute_tool search_flights ERROR error tool_error peer OK";
    const seat = "execute_tool hold_seat UNSET ok peer OK";
    const expired = "execute_tool hold_seat ERROR error tool_error peer OK";
    expect(shown.map(([request, status, ...spans]) => [request, status, ...inOrder(request, spans)])).toEqual([
      ["A weekend in Lisbon", "UNSET", weather, flights, seat],
      ["Home for Christmas", "UNSET", soldOut, soldOut, flights, expired, expired, seat],
      [
        "What is that in yen?",
        "UNSET",
        "execute_tool convert_money ERROR error RateFeedError peer ERROR",
        "execute_tool convert_money UNSET ok peer OK",
      ],
      ["Do I need a visa?", "UNSET", "execute_tool check_visa ERROR error timeout peer ERROR", weather],
      [
        "A hotel near the office",
        "UNSET",
        "execute_tool find_hotel ERROR error ToolException peer ERROR",
        "execute_tool find_hotel UNSET ok peer OK",
      ],
      ["Pay the invoice", "UNSET", "execute_tool pay_invoice UNSET interrupted peer ERROR"],
      ["Pay the invoice: approved", "UNSET", "execute_tool pay_invoice UNSET ok peer OK"],
      ["Plan three weeks in Asia", "UNSET", "execute_tool plan_route UNSET cancelled peer ERROR"],
    ]);
  });

  it("gives each span its parent and a real duration", () => {
    expect(new Set(report.traces.map((root) => root.traceId)).size).toBe(report.traces.length);
    for (const root of report.traces) {
      expect(root.parentSpanId).toBeUndefined();
      for (const span of root.children) {
        expect(span.parentSpanId).toBe(root.spanId);
        expect(span.durationMs).toBeGreaterThan(0);
        expect(span.durationMs).toBeLessThanOrEqual(root.durationMs);
      }
    }
  });
});

function tool(name: string, calls: number, failed: number, more: object) {
  return { tool: name, calls, failed, byErrorType: {}, stops: {}, ...more };
}

function peer(calls: number, failed: number, missed = 0, falseAlarms = 0) {
  return { calls, failed, missed, falseAlarms };
}

/** Two tools called at one time start in either order. */
function inOrder(request: unknown, spans: readonly string[]): readonly string[] {
  const together = request === "Do I need a visa?" || request === "A weekend in Lisbon";
  return together ? [...spans.slice(0, 2).toSorted(), ...spans.slice(2)] : spans;
}

describe("toolspan demo", () => {
  it("without colours has no escape codes and no line over 100 characters", async () => {
    const { code, stdout, stderr } = await runCommand(["demo"], { NO_COLOR: "1" });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).not.toContain(ESCAPE);
    const lines = stdout.split("\n");
    expect(lines.filter((line) => [...line].length > 100)).toEqual([]);
    expect(lines.filter((line) => line.includes("✗ wrong"))).toHaveLength(6);
    expect(stdout).toContain("toolspan: 7 of 18 tool calls failed; 1 cancelled, 1 interrupted: no failures.");
    expect(stdout).toContain("4 of 7 failures shown as OK");
    expect(stdout).toContain("2 of 2 stops shown as errors");
  });

  it("sends the same spans and metrics to OTEL_EXPORTER_OTLP_ENDPOINT, in colours where they are forced", async () => {
    const other = await startReceiver();
    try {
      const env = { FORCE_COLOR: "1", NO_COLOR: "1", OTEL_EXPORTER_OTLP_ENDPOINT: other.endpoint };
      const { code, stdout, stderr } = await runCommand(["demo"], env);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toContain(`${ESCAPE}[31m`);
      expect(stdout).toContain(`The same spans and metrics were sent to ${other.endpoint}/v1/traces`);
      const tools = other.spans.filter(({ attributes }) => attributes["gen_ai.operation.name"] === "execute_tool");
      expect(tools.filter(({ status }) => status.code === 2)).toHaveLength(7);
      expect([tools.length, other.spans.length]).toEqual([18, 26]);
      expect(new Set(other.spans.map(({ resource }) => resource["service.name"]))).toEqual(new Set(["travel-desk"]));
      const failed = other.points.filter(({ attributes }) => "error.type" in attributes);
      expect(failed.reduce((sum, { count = 0 }) => sum + count, 0)).toBe(7);
    } finally {
      await other.close();
    }
  });

  it("says that it could not deliver to an endpoint that is dead, and is well otherwise", async () => {
    const dead = await startReceiver();
    await dead.close();
    const { code, stdout, stderr } = await runCommand(["demo"], { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: dead.endpoint });
    expect(code).toBe(0);
    expect(stdout).toContain("toolspan: 7 of 18 tool calls failed");
    expect(stderr).toBe(`toolspan: could not send to ${dead.endpoint}: ECONNREFUSED\n`);
  });

  it("refuses an endpoint that is no web address", async () => {
    expect(await runCommand(["demo"], { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" })).toEqual({
      code: 2,
      stdout: "",
      stderr: `toolspan: OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https URL, not "collector:4318"\n`,
    });
  });

  it("exits with 1 where the spans and the histogram do not agree", async () => {
    const preload = join(OUT_DIR, "registers-first.mjs");
    writeFileSync(
      preload,
      `import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node"; new NodeTracerProvider().register();`,
    );
    const { code, stdout } = await runCommand(["demo", "--json"], { NODE_OPTIONS: `--import ./${preload}` });
    expect(code).toBe(1);
    const { faults } = JSON.parse(stdout) as ReportJson;
    expect(faults.filter((fault) => fault.startsWith("hold_seat: the histogram has"))).toHaveLength(1);
    expect(faults).toContain("the receiver got no tool span");
  });
});

describe("the bundle", () => {
  it("is one executable file, and holds the packages that only the command needs", () => {
    expect(readdirSync(join(OUT_DIR, "cli"))).toEqual(["bin.js"]);
    expect(statSync(BIN).mode & 0o111).toBe(0o111);
    const code = readFileSync(BIN, "utf8");
    expect(code.startsWith("#!/usr/bin/env node\n")).toBe(true);
    const imported = [...code.matchAll(/^import .* from "([^"]+)";$/gm)].map((match) => match[1] ?? "");
    expect(imported.filter((name) => !name.startsWith("node:"))).toEqual(["../version.js"]);
  });

  it("has its packages' licences in THIRD-PARTY-LICENSES.txt; `npm run build` writes it", () => {
    const built = readFileSync(join(OUT_DIR, "THIRD-PARTY-LICENSES.txt"), "utf8");
    expect(built).toMatch(/^protobufjs \d/m);
    expect(readFileSync("THIRD-PARTY-LICENSES.txt", "utf8")).toBe(built);
  });
});

describe("toolspan demo, installed away from the frameworks", () => {
  const bin = join(folder, "global/node_modules/toolspan/dist/cli/bin.js");

  beforeAll(() => {
    cpSync(OUT_DIR, join(folder, "global/node_modules/toolspan/dist"), { recursive: true });
    writeFileSync(join(folder, "global/node_modules/toolspan/package.json"), `{ "type": "module" }`);
    mkdirSync(join(folder, "empty"));
    mkdirSync(join(folder, "project"));
    symlinkSync(resolve("node_modules"), join(folder, "project/node_modules"));
  });

  it("prints the one line that installs them", async () => {
    const { code, stdout, stderr } = await runCommand(["demo"], {}, { bin, cwd: join(folder, "empty") });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr.split("\n").map((line) => line.trim())).toContain(installLine(Object.keys(DEMO_PACKAGES)));
  });

  it("plays those of the project the user is in", async () => {
    const { code, stdout, stderr } = await runCommand(["demo"], {}, { bin, cwd: join(folder, "project") });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("toolspan: 7 of 18 tool calls failed");
  });
});
