import type { Guard } from "../span/guard.ts";

/**
 * Does all of these at once and waits for them, but no longer than the bound. Never rejects: the first thing that fails is
 * told to `diag`. While it waits its timer keeps Node alive, so that the last flush of a script is not cut off.
 */
export async function bounded(
  what: string,
  steps: readonly (() => Promise<unknown>)[],
  milliseconds: number,
  guard: Guard,
): Promise<void> {
  const failed = (error: unknown): void => guard.warn(what, `${what} failed; said once: ${describe(error)}`);
  let timer: NodeJS.Timeout | undefined;
  const bound = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), milliseconds);
  });
  const work = Promise.all(steps.map((step) => Promise.resolve().then(step).catch(failed)));
  const first = await Promise.race([work, bound]);
  clearTimeout(timer);
  if (first === "late") failed(`not done within ${milliseconds} ms`);
}

/** The SDK rejects with a list of errors. */
function describe(error: unknown): string {
  return Array.isArray(error) ? error.map(String).join("; ") : String(error);
}
