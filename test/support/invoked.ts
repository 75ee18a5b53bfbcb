/** Tools whose errors are handled, and what becomes of a call of them. */
import type { StructuredToolInterface } from "@langchain/core/tools";
import type { ErrorPolicy } from "../../src/adapters/langchain-errors.ts";
import { makeTool } from "./agent.ts";
import { handled } from "./handled.ts";
import { verdict } from "./traced.ts";

export const all: ErrorPolicy = { handleToolError: true, handleValidationError: true };

export const throwing = (error: unknown) =>
  makeTool(() => {
    throw error;
  });

/** Invokes the tool outside a graph, by default without a call id: the answer alone does not tell that it failed. */
export async function invoke(subject: unknown, input: unknown = { q: "x" }, config: object = {}) {
  const test = handled();
  const call = (subject as StructuredToolInterface).invoke(input as never, { ...test.config, ...config });
  const [ending] = await Promise.allSettled([call]);
  test.handler.shutdown();
  const value: unknown = ending.status === "fulfilled" ? ending.value : undefined;
  const error: unknown = ending.status === "rejected" ? ending.reason : undefined;
  return { value, error, span: test.onlySpan(), verdict: verdict(test.onlySpan()) };
}

/** What is still known of runs, in all of the process. */
export const knownFailures = (): Map<unknown, unknown> =>
  (globalThis as { [key: symbol]: Map<unknown, unknown> })[Symbol.for("toolspan.known-failures.v1")]!;
