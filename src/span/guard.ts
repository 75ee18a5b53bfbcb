import { diag } from "@opentelemetry/api";

/** Keeps our own faults, and those of the user's hooks, from the agent: the first of each step goes to `diag`. */
export interface Guard {
  /** Runs a step; a fault gives `undefined`. */
  run<T>(step: string, body: () => T): T | undefined;
  /** Says something once. */
  warn(about: string, message: string): void;
}

export function createGuard(): Guard {
  const said = new Set<string>();
  const once = (about: string, say: () => void): void => {
    if (said.has(about)) return;
    said.add(about);
    try {
      say();
    } catch {
      // the user's diag logger failed; nothing is left to tell it to
    }
  };
  return {
    run(step, body) {
      try {
        return body();
      } catch (error) {
        once(step, () => diag.error(`toolspan: ${step} failed; said once`, error));
        return undefined;
      }
    },
    warn(about, message) {
      once(about, () => diag.warn(`toolspan: ${message}`));
    },
  };
}
