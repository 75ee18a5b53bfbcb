/** Agents by chance, the same ones for the same seed, and the numbers that follow from their scripts alone. */
import type { RunnableConfig } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import { toolRetryMiddleware } from "langchain";
import { z } from "zod";
import { agentOf, ask, asks, done, TellingModel, toolCall } from "./agent.ts";
import type { Known, KnownAgent } from "./known-numbers.ts";
import type { How } from "./scripted-calls.ts";
import { flakyRuns, scripted, scriptedCall } from "./scripted-calls.ts";

interface Script {
  readonly name: string;
  /** Whether a failed run is tried again, twice at most. */
  readonly isRetrying: boolean;
  readonly turns: readonly (readonly Call[])[];
}

type Call =
  | { readonly kind: "tool"; readonly id: string; readonly tool: string; readonly how: How }
  | { readonly kind: "unknown"; readonly id: string }
  | { readonly kind: "task"; readonly id: string; readonly sub: Script };

const TOOLS = ["a", "b", "c"];
const HOWS: readonly How[] = [
  "returns",
  "returns",
  "returns",
  "throws",
  "answers an error",
  "commands an error",
  "times out",
  "flaky 1",
  "flaky 2",
  "refused",
];
const MOST_DEPTH = 2;
const MOST_TRIES = 3;

/** Mulberry32: numbers from 0 to below 1. */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function scriptOf(seed: number): Script {
  const next = numbersFrom(seed);
  const upTo = (most: number): number => Math.floor(next() * (most + 1));
  const oneOf = <T>(values: readonly T[]): T => values[upTo(values.length - 1)]!;
  let agents = 0;
  const script = (depth: number): Script => {
    const name = `agent_${seed}_${agents++}`;
    const isRetrying = next() < 0.4;
    let calls = 0;
    const call = (): Call => {
      // Ids begin anew in each agent, as models' do.
      const id = `call_${calls++}`;
      const chance = next();
      if (chance < 0.08) return { kind: "unknown", id };
      if (chance < 0.2 && depth < MOST_DEPTH) return { kind: "task", id, sub: script(depth + 1) };
      return { kind: "tool", id, tool: oneOf(TOOLS), how: oneOf(HOWS) };
    };
    const turns = Array.from({ length: upTo(4) }, () => Array.from({ length: 1 + upTo(3) }, call));
    return { name, isRetrying, turns };
  };
  return script(0);
}

/** Runs it with real agents. */
export async function playScript({ name, isRetrying, turns }: Script, config: RunnableConfig): Promise<void> {
  const calls = turns.flat();
  const task = tool(
    async (_input, given) => {
      const { id } = (given as { toolCall: { id: string } }).toolCall;
      const call = calls.find((one) => one.id === id);
      if (call?.kind === "task") await playScript(call.sub, given);
      return "done";
    },
    { name: "task", description: "d", schema: z.object({}) },
  );
  const messages = turns.map((turn) =>
    asks(
      ...turn.map((call) => {
        if (call.kind === "tool") return scriptedCall(call.tool, call.how, call.id);
        return toolCall(call.kind === "task" ? "task" : "invented", {}, call.id);
      }),
    ),
  );
  const retries = toolRetryMiddleware({ maxRetries: MOST_TRIES - 1, initialDelayMs: 1, maxDelayMs: 2, jitter: false });
  const tools = [task, ...TOOLS.map((own, index) => scripted(own, index * 2))];
  const model = new TellingModel([...messages, done]);
  await agentOf(tools, { name, model, middleware: isRetrying ? [retries] : [] }).invoke(ask, config);
}

/** @param refused how a refusal shows: only the wrap sees why */
export function knownOf(script: Script, refused: string): Known {
  const runs: Record<string, number> = {};
  const agents: Record<string, KnownAgent[]> = {};
  const add = (words: string, count: number): void => {
    if (count > 0) runs[words] = (runs[words] ?? 0) + count;
  };
  const visit = ({ name, isRetrying, turns }: Script): void => {
    const ends = turns.map((turn) =>
      turn.map((call) => {
        if (call.kind === "task") visit(call.sub);
        const end = endOf(call, isRetrying, refused);
        add(end.isGood ? `${end.words} recovered` : end.words, end.failures);
        add("ok", end.isGood ? 1 : 0);
        return { tool: call.kind === "tool" ? call.tool : call.kind, isGood: end.isGood };
      }),
    );
    const failed = ends.flatMap((turn, at) =>
      turn.filter(({ isGood }) => !isGood).map(({ tool: own }) => ({ own, at })),
    );
    const isMadeGood = (own: string, at: number): boolean =>
      ends.slice(at + 1).some((turn) => turn.some((end) => end.tool === own && end.isGood));
    const unrecovered = failed.filter(({ own, at }) => !isMadeGood(own, at));
    const all = ends.flat().length;
    agents[name] = [{ calls: [all, failed.length, unrecovered.length], inferences: turns.length + 1 }];
  };
  visit(script);
  return { runs, agents };
}

/** How a call ends, after how many failed runs, and what each of those says. */
function endOf(call: Call, isRetrying: boolean, refused: string): { isGood: boolean; failures: number; words: string } {
  if (call.kind === "task") return { isGood: true, failures: 0, words: "" };
  if (call.kind === "unknown") return { isGood: false, failures: 1, words: "error unknown_tool" };
  const { how } = call;
  const tries = isRetrying ? MOST_TRIES : 1;
  if (how === "refused") return { isGood: false, failures: 1, words: refused };
  if (how.endsWith("an error")) return { isGood: false, failures: 1, words: "error tool_error" };
  if (how === "times out") return { isGood: false, failures: tries, words: "error timeout" };
  const failures = Math.min(how === "throws" ? MOST_TRIES : flakyRuns(how), tries);
  return { isGood: failures < tries, failures, words: "error RangeError" };
}
