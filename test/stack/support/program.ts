import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { until } from "./until.ts";

/** A program under test that runs. All that a test file started is ended after its last test. */
export interface Program {
  readonly pid: number;
  /** All that it has written to its outputs so far. */
  log(): string;
  /** Asks it to end (SIGTERM) and waits until it has. */
  stop(): Promise<void>;
  /** Ends it as a crash would (SIGKILL), and waits until it has. */
  kill(): Promise<void>;
}

export interface Start {
  /** A program of .cache/stack, or a command of Debian's. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** A URL that answers 2xx once the program is ready, or a question that does. */
  readonly ready: string | (() => Promise<boolean>);
}

const ends: (() => unknown)[] = [];

/** Does something after the last test of the file, before what was asked for earlier: a program ends before its folder goes. */
export function atEnd(end: () => unknown): void {
  ends.unshift(end);
}

afterAll(async () => {
  for (const end of ends.splice(0)) await end();
});

/** Starts a program and waits until it is ready. */
export async function startProgram({ command, args, env = {}, ready }: Start): Promise<Program> {
  const output = join(scratch(), `${command}.log`);
  const log = (): string => readFileSync(output, "utf8");
  const file = openSync(output, "w");
  const child = spawn(programPath(command), args, {
    // Of the developer's variables only the path: no OTEL_* of theirs may decide a test.
    env: { PATH: process.env["PATH"] ?? "", ...env },
    stdio: ["ignore", file, file],
  });
  closeSync(file);
  let failure: unknown;
  const ended = once(child, "close").catch((error: unknown) => {
    failure = new Error(`${command} cannot be started; node scripts/stack-programs.mjs makes it ready`, {
      cause: error,
    });
  });
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await ended;
  };
  atEnd(() => end("SIGKILL"));
  await until(`${command} is ready`, async () => {
    if (failure !== undefined) throw failure;
    if (child.exitCode !== null) throw new Error(`${command} ended with ${child.exitCode}:\n${log().slice(-4000)}`);
    return typeof ready === "string" ? (await fetch(ready).catch(() => undefined))?.ok : ready();
  }).catch((error: unknown) => {
    throw new Error(`${String(error)}\n${log().slice(-4000)}`);
  });
  return { pid: child.pid ?? 0, log, stop: () => end("SIGTERM"), kill: () => end("SIGKILL") };
}

/** An empty folder of this test file's own, gone after it. */
export function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), "toolspan-stack-"));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Where a program is: built into .cache/stack by `scripts/stack-programs.mjs`, else on the path. */
export function programPath(name: string): string {
  const built = join(import.meta.dirname, "..", "..", "..", ".cache", "stack", name);
  return existsSync(built) ? built : name;
}
