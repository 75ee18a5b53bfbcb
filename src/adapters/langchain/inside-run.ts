import { awaited } from "../../core/awaited.ts";
import { isObject, read } from "../../core/read.ts";
import type { EnteredRun } from "../../span/enter-run.ts";

/**
 * Runs a tool's body with its span active, each step of a generator too.
 *
 * @param returned told the result when there is one; what is thrown goes its way untold
 */
export function insideRun(run: EnteredRun, body: () => unknown, returned: (result: unknown) => void): unknown {
  const settle = (result: unknown): unknown => {
    if (isGenerator(result)) return steppedInside(run, result, returned);
    returned(result);
    return result;
  };
  const result = run.active(() => awaited(body()));
  return result instanceof Promise ? result.then(settle) : settle(result);
}

/** What LangChain takes for a generator and runs to its end. */
function isGenerator(value: unknown): value is object {
  return isObject(value) && typeof value !== "function" && typeof read(value, "next") === "function";
}

function steppedInside(run: EnteredRun, generator: object, returned: (result: unknown) => void): object {
  const note = (step: unknown): void => {
    if (read(step, "done") === true) returned(read(step, "value"));
  };
  const stepped: object = new Proxy(generator, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key);
      if (typeof member !== "function" || key === "constructor") return member;
      if (key === Symbol.asyncIterator || key === Symbol.iterator) return () => stepped;
      return (...args: unknown[]): unknown => {
        const step = run.active(() => awaited(Reflect.apply(member, target, args)));
        if (key !== "next") return step;
        if (!(step instanceof Promise)) return (note(step), step);
        return step.then((result) => (note(result), result));
      };
    },
  });
  return stepped;
}
