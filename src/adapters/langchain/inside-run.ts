import { awaited } from "../../core/awaited.ts";
import { read } from "../../core/read.ts";
import type { Ending } from "../../core/settled.ts";
import { settled } from "../../core/settled.ts";
import type { EnteredRun } from "../../span/enter-run.ts";

/** Runs a tool's body with its span active, each step of a generator too, and tells how it ended. */
export function insideRun(run: EnteredRun, body: () => unknown, ending: Ending): unknown {
  const settle = (result: unknown): unknown => {
    if (isGenerator(result)) return steppedInside(run, result, ending);
    ending.returned(result);
    return result;
  };
  const fail = (error: unknown): never => {
    ending.threw(error);
    throw error;
  };
  let result: unknown;
  try {
    result = run.active(() => awaited(body()));
  } catch (error) {
    fail(error);
  }
  return result instanceof Promise ? result.then(settle, fail) : settle(result);
}

/** What LangChain takes for a generator and runs to its end. */
function isGenerator(value: unknown): value is object {
  return typeof value !== "function" && typeof read(value, "next") === "function";
}

function steppedInside(run: EnteredRun, generator: object, ending: Ending): object {
  const noted: Ending = {
    returned(step) {
      if (read(step, "done") === true) ending.returned(read(step, "value"));
    },
    threw: (error) => ending.threw(error),
  };
  const stepped: object = new Proxy(generator, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key);
      if (typeof member !== "function" || key === "constructor") return member;
      if (key === Symbol.asyncIterator || key === Symbol.iterator) return () => stepped;
      return (...args: unknown[]): unknown => {
        const step = (): unknown => run.active(() => awaited(Reflect.apply(member, target, args)));
        return key === "next" ? settled(step, noted) : step();
      };
    },
  });
  return stepped;
}
