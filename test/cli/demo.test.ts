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
  readonly executed?: boolean;
  readonly attempt?: number;
  readonly recovered?: boolean;
  readonly requestedTool?: string;
  readonly agent?: string;
  readonly toolCalls?: number;
  readonly failedToolCalls?: number;
  readonly unrecoveredToolCalls?: number;
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
      tool("ask_visa_clerk", 1, 0, { peer: peer(1, 0) }),
      tool("cancel_booking", 1, 0, { stops: { denied: 1 }, peer: peer(0, 0, { unseen: 1 }) }),
      tool("check_visa", 1, 1, { byErrorType: { timeout: 1 }, peer: peer(1, 1) }),
      tool("convert_money", 2, 1, { byErrorType: { RateFeedError: 1 }, peer: peer(2, 1) }),
      tool("find_hotel", 2, 1, { byErrorType: { ToolException: 1 }, peer: peer(2, 1) }),
      tool("get_weather", 4, 1, { byErrorType: { invalid_arguments: 1 }, peer: peer(3, 0, { unseen: 1 }) }),
      tool("hold_seat", 4, 2, { byErrorType: { tool_error: 2 }, peer: peer(4, 0, { missed: 2 }) }),
      tool("pay_invoice", 2, 0, { stops: { interrupted: 1 }, peer: peer(2, 1, { falseAlarms: 1 }) }),
      tool("plan_route", 1, 0, { stops: { cancelled: 1 }, peer: peer(1, 1, { falseAlarms: 1 }) }),
      tool("search_flights", 4, 2, { byErrorType: { tool_error: 2 }, peer: peer(4, 0, { missed: 2 }) }),
      tool("send_tickets", 2, 1, { recovered: 1, byErrorType: { MailError: 1 }, peer: peer(2, 1) }),
      tool("unknown_tool", 1, 1, { byErrorType: { unknown_tool: 1 }, peer: peer(0, 0, { unseen: 1 }) }),
    ]);
    expect(report.totals).toEqual({
      calls: 25,
      failed: 10,
      recovered: 1,
      stops: { cancelled: 1, denied: 1, interrupted: 1 },
      peer: peer(22, 6, { missed: 4, unseen: 3, falseAlarms: 2 }),
    });
    expect(report.peer.name).toBe("@arizeai/openinference-instrumentation-langchain");
    expect(report.faults).toEqual([]);
    expect(report.sentTo).toEqual([]);
  });

  it("has each request's trace as a tree: agents, model calls, tools, and an agent in a tool", () => {
    const desk = "invoke_agent travel-desk UNSET";
    const chat = "chat scripted-1 UNSET";
    const weather = "execute_tool get_weather UNSET ok peer OK";
    const flights = "execute_tool search_flights UNSET ok peer OK";
    const soldOut = "execute_tool search_flights ERROR error tool_error peer OK";
    const seat = "execute_tool hold_seat UNSET ok peer OK";
    const expired = "execute_tool hold_seat ERROR error tool_error peer OK";
    expect(report.traces.map((root) => [root.name, root.status, ...root.children.map(shown)])).toEqual([
      ["A weekend in Lisbon", "UNSET", [desk, chat, weather, flights, chat, seat, chat]],
      [
        "Home for Christmas",
        "UNSET",
        [desk, chat, soldOut, chat, soldOut, chat, flights, chat, expired, chat, expired, chat, seat, chat],
      ],
      [
        "What is that in yen?",
        "UNSET",
        [
          desk,
          chat,
          ["execute_tool convert_money ERROR error RateFeedError peer ERROR", "GET /rates/live ERROR"],
          chat,
          ["execute_tool convert_money UNSET ok peer OK", "GET /rates/daily UNSET"],
          chat,
        ],
      ],
      [
        "Do I need a visa?",
        "UNSET",
        [
          desk,
          chat,
          [
            "execute_tool ask_visa_clerk UNSET ok peer OK",
            ["invoke_agent clerk UNSET", chat, "execute_tool check_visa ERROR error timeout peer ERROR", chat],
          ],
          weather,
          chat,
        ],
      ],
      [
        "Will it rain in Bergen?",
        "UNSET",
        [
          desk,
          chat,
          "execute_tool unknown_tool ERROR error unknown_tool peer none",
          chat,
          "execute_tool get_weather ERROR error invalid_arguments peer none",
          chat,
          weather,
          chat,
        ],
      ],
      [
        "A hotel near the office",
        "UNSET",
        [
          desk,
          chat,
          "execute_tool find_hotel ERROR error ToolException peer ERROR",
          chat,
          "execute_tool find_hotel UNSET ok peer OK",
          chat,
        ],
      ],
      ["Pay the invoice", "UNSET", [desk, chat, "execute_tool pay_invoice UNSET interrupted peer ERROR"]],
      ["Pay the invoice: approved", "UNSET", [desk, "execute_tool pay_invoice UNSET ok peer OK", chat]],
      [
        "Send me the tickets",
        "UNSET",
        [
          desk,
          chat,
          "execute_tool send_tickets ERROR error MailError peer ERROR",
          "execute_tool send_tickets UNSET ok peer OK",
          chat,
        ],
      ],
      ["Cancel my booking", "UNSET", [desk, chat]],
      ["Cancel my booking: rejected", "UNSET", [desk, "execute_tool cancel_booking UNSET denied peer none", chat]],
      [
        "Plan three weeks in Asia",
        "UNSET",
        ["invoke_agent travel-desk UNSET cancelled", chat, "execute_tool plan_route UNSET cancelled peer ERROR"],
      ],
    ]);
  });

  it("has each agent's counts", () => {
    const agents = report.traces
      .flatMap((root) => everySpan(root))
      .filter(({ name }) => name.startsWith("invoke_agent"))
      .map((span) => [span.agent, span.toolCalls, span.failedToolCalls, span.unrecoveredToolCalls]);
    const desk = (calls: number, failed = 0, lost = 0) => ["travel-desk", calls, failed, lost];
    expect(agents).toEqual([
      desk(3),
      desk(6, 4),
      desk(2, 1),
      desk(2),
      ["clerk", 1, 1, 1],
      desk(3, 2, 1),
      desk(2, 1),
      desk(1),
      desk(1),
      desk(1),
      desk(0),
      desk(1),
      desk(1),
    ]);
  });

  it("has what the model says of itself, and what is particular to a call", () => {
    const spans = report.traces.flatMap((root) => everySpan(root));
    expect(spans.find(({ name }) => name === "chat scripted-1")).toMatchObject({
      model: "scripted-1",
      provider: "toolspan-demo",
      finishReasons: ["tool_calls"],
      inputTokens: 5,
      outputTokens: 29,
    });
    const particular = spans
      .filter(({ executed, attempt = 1, recovered }) => executed === false || attempt > 1 || recovered)
      .map(({ name, executed, attempt, recovered, requestedTool }) => ({
        name,
        executed,
        attempt,
        recovered,
        requestedTool,
      }));
    const plain = { executed: true, attempt: 1, recovered: false };
    expect(particular).toEqual([
      { ...plain, name: "execute_tool unknown_tool", executed: false, requestedTool: "rain_radar" },
      { ...plain, name: "execute_tool get_weather", executed: false },
      { ...plain, name: "execute_tool send_tickets", recovered: true },
      { ...plain, name: "execute_tool send_tickets", attempt: 2 },
      { ...plain, name: "execute_tool cancel_booking", executed: false },
    ]);
  });

  it("gives each span its parent and a real duration, where anything ran", () => {
    expect(new Set(report.traces.map((root) => root.traceId)).size).toBe(report.traces.length);
    const check = (parent: SpanJson): void => {
      for (const span of parent.children) {
        expect(span.parentSpanId).toBe(parent.spanId);
        expect(span.durationMs > 0 || span.executed === false).toBe(true);
        expect(span.durationMs).toBeLessThanOrEqual(parent.durationMs);
        check(span);
      }
    };
    for (const root of report.traces) {
      expect(root.parentSpanId).toBeUndefined();
      check(root);
    }
  });
});

function tool(name: string, calls: number, failed: number, more: object) {
  return { tool: name, calls, failed, recovered: 0, byErrorType: {}, stops: {}, ...more };
}

function peer(calls: number, failed: number, more: object = {}) {
  return { calls, failed, missed: 0, unseen: 0, falseAlarms: 0, ...more };
}

type Shown = string | readonly Shown[];

/** A span in words, and those inside it; two tools called at one time start in either order. */
function shown({ name, status, outcome, errorType, peerStatus = "none", children }: SpanJson): Shown {
  const isTool = name.startsWith("execute_tool");
  const words = [name, status, outcome, errorType, isTool && `peer ${peerStatus}`].filter(Boolean).join(" ");
  if (children.length === 0) return words;
  const [first, ...rest] = children;
  const ordered = rest.slice(0, 2).every((span) => span.name.startsWith("execute_tool"))
    ? [first!, ...rest.slice(0, 2).toSorted((one, other) => (one.name < other.name ? -1 : 1)), ...rest.slice(2)]
    : children;
  return [words, ...ordered.map(shown)];
}

function everySpan(span: SpanJson): readonly SpanJson[] {
  return [span, ...span.children.flatMap(everySpan)];
}

describe("toolspan demo", () => {
  it("without colours has no escape codes and no line over 100 characters", async () => {
    const { code, stdout, stderr } = await runCommand(["demo"], { NO_COLOR: "1" });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).not.toContain(ESCAPE);
    const lines = stdout.split("\n");
    expect(lines.filter((line) => [...line].length > 100)).toEqual([]);
    expect(lines.filter((line) => line.includes("✗ wrong"))).toHaveLength(6);
    for (const words of [
      "25 tool spans and a histogram of 25; they agree",
      "toolspan: 10 of 25 tool calls failed, 1 recovered by a retry;",
      "1 cancelled, 1 denied, 1 interrupted: no failures.",
      "4 of 10 failures shown as OK",
      "3 calls without a span (unseen), 2 of them failures",
      "2 of 3 stops shown as errors",
      "UNSET: 4 of 6 calls failed, all made good",
      "UNSET: 2 of 3 calls failed, 1 not made good",
      "not run  ERROR unknown_tool: rain_radar",
      "not run  ERROR invalid_arguments: Received",
      "ERROR MailError, recovered: mail server busy",
      "ok, retry 2",
      "not run  denied",
    ]) {
      expect(stdout).toContain(words);
    }
    expect(lines.filter((line) => line.endsWith("  no span"))).toHaveLength(3);
  });

  it("shows what the README shows of it", async () => {
    const quoted = /<!-- npm run demo -->\n```text\n([\s\S]*?)```/.exec(readFileSync("README.md", "utf8"))?.[1] ?? "";
    // LangChain's words for refused arguments hold a stack, so that the tokens depend on where the files are.
    const alike = (text: string) => text.replaceAll(/ +\d+ ms /g, " 0 ms ").replaceAll(/\d+ tokens in/g, "0 tokens in");
    const { stdout } = await runCommand(["demo"], { NO_COLOR: "1" });
    const [heading, ...tree] = alike(quoted).split("\n").slice(0, -1);
    expect(tree.length).toBeGreaterThan(5);
    expect(alike(stdout).split("\n")).toContain(heading);
    expect(alike(stdout)).toContain(tree.join("\n"));
  });

  it("sends the same spans and metrics to OTEL_EXPORTER_OTLP_ENDPOINT, in colours where they are forced", async () => {
    const other = await startReceiver();
    try {
      const env = { FORCE_COLOR: "1", NO_COLOR: "1", OTEL_EXPORTER_OTLP_ENDPOINT: other.endpoint };
      const { code, stdout, stderr } = await runCommand(["demo"], env);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toContain(`${ESCAPE}[31m`);
      for (const name of ["invoke_agent travel-desk", "chat scripted-1"]) {
        expect(stdout).toContain(`${ESCAPE}[2m${name}${ESCAPE}[22m`);
      }
      expect(stdout).toContain(`The same spans and metrics were sent to ${other.endpoint}/v1/traces`);
      const tools = other.spans.filter(({ attributes }) => attributes["gen_ai.operation.name"] === "execute_tool");
      expect(tools.filter(({ status }) => status.code === 2)).toHaveLength(10);
      // 25 tool calls, 12 requests, 13 agents, 31 model calls, 2 requests made in a tool
      expect([tools.length, other.spans.length]).toEqual([25, 83]);
      expect(new Set(other.spans.map(({ resource }) => resource["service.name"]))).toEqual(new Set(["travel-desk"]));
      const failed = other.points.filter(({ attributes }) => "error.type" in attributes);
      expect(failed.reduce((sum, { count = 0 }) => sum + count, 0)).toBe(10);
    } finally {
      await other.close();
    }
  });

  it("says that it could not deliver to an endpoint that is dead, and is well otherwise", async () => {
    const dead = await startReceiver();
    await dead.close();
    const { code, stdout, stderr } = await runCommand(["demo"], { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: dead.endpoint });
    expect(code).toBe(0);
    expect(stdout).toContain("toolspan: 10 of 25 tool calls failed");
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
    expect(stdout).toContain("toolspan: 10 of 25 tool calls failed");
  });
});
