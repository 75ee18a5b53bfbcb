import type { ChildProcess } from "node:child_process";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, beforeEach } from "vitest";
import type { Receiver } from "../../src/cli/receiver/receiver.ts";
import { startReceiver } from "../../src/cli/receiver/receiver.ts";

/** A real process that uses the built library, and what became of it. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly milliseconds: number;
}

export interface RunOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** Sent each time that the application prints `ready`. */
  readonly kill?: NodeJS.Signals;
}

interface Workshop {
  readonly receiver: Receiver;
  /** Where the library was built to. */
  readonly dist: string;
  run(code: string, options?: RunOptions): Promise<Ended>;
  close(): Promise<void>;
}

/** One workshop for the tests of a file; each test finds its receiver empty. */
export function useWorkshop(): Omit<Workshop, "close"> {
  let shop: Workshop;
  beforeAll(async () => {
    shop = await openWorkshop();
  });
  afterAll(() => shop.close());
  beforeEach(() => shop.receiver.clear());
  return {
    get receiver() {
      return shop.receiver;
    },
    get dist() {
      return shop.dist;
    },
    run: (code, options) => shop.run(code, options),
  };
}

/** `toolspan.outcome` of the spans that arrived, in their order. */
export function outcomesIn(receiver: Receiver): readonly unknown[] {
  return receiver.spans.map(({ attributes }) => attributes["toolspan.outcome"]);
}

/** Builds the library where bare imports resolve, and starts the receiver which the applications send to. */
async function openWorkshop(): Promise<Workshop> {
  mkdirSync("node_modules/.cache", { recursive: true });
  const folder = mkdtempSync(resolve("node_modules/.cache/toolspan-export-"));
  const dist = join(folder, "dist");
  const compiler = "node_modules/typescript/bin/tsc";
  execFileSync(process.execPath, [compiler, "-p", "tsconfig.build.json", "--noCheck", "--outDir", dist]);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "travel-desk", type: "module" }));
  const receiver = await startReceiver();
  let count = 0;
  return {
    receiver,
    dist,
    async run(code, options = {}) {
      const file = join(folder, `app-${(count += 1)}.js`);
      writeFileSync(file, PRELUDE + code);
      const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint, ...options.environment };
      return ended(spawn(process.execPath, [file], { env: environment, cwd: folder }), options.kill);
    },
    async close() {
      await receiver.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** `said` is what OpenTelemetry's `diag` was told. A rejection which nobody handles ends Node with code 1. */
const PRELUDE = `
  import { diag, metrics, propagation, context, trace } from "@opentelemetry/api";
  import { createRecorder } from "./dist/index.js";
  import { startTracing } from "./dist/export/node.js";
  const said = [];
  const say = (message, ...more) => void said.push([message, ...more].join(" "));
  diag.setLogger({ error: say, warn: say, info() {}, debug() {}, verbose() {} });
  const recorder = createRecorder();
  const runTools = (count, failsEach) => {
    for (let index = 0; index < count; index += 1) {
      const key = String(index) + Math.random();
      recorder.onToolStart({ key, name: "search" });
      if (failsEach && index % failsEach === 0) recorder.onToolError(key, new RangeError("out of range"));
      else recorder.onToolEnd(key, "found");
    }
  };
`;

/** Waits for the end of a process. */
export function ended(child: ChildProcess, kill?: NodeJS.Signals): Promise<Ended> {
  const startedAt = performance.now();
  let stdout = "";
  let stderr = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
    if (kill && chunk.toString().includes("ready")) child.kill(kill);
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  return new Promise((settle, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      settle({ code, signal, stdout, stderr, milliseconds: performance.now() - startedAt });
    });
  });
}

/** Runs in the newest points of the duration histogram: all, and those that failed. */
export function counted(receiver: Receiver): { readonly runs: number; readonly failed: number } {
  const series = new Map<string, number>();
  const failures = new Map<string, number>();
  for (const point of receiver.points.filter(({ metric }) => metric === "gen_ai.execute_tool.duration")) {
    const labels = JSON.stringify([point.attributes, point.resource["process.pid"]]);
    series.set(labels, point.count ?? 0);
    if ("error.type" in point.attributes) failures.set(labels, point.count ?? 0);
  }
  return { runs: sum(series.values()), failed: sum(failures.values()) };
}

function sum(counts: Iterable<number>): number {
  return [...counts].reduce((all, one) => all + one, 0);
}
