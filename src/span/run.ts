import type { Context, Span } from "@opentelemetry/api";
import { context, trace } from "@opentelemetry/api";
import { awaited } from "../core/awaited.ts";
import { read } from "../core/read.ts";
import type { Ending } from "../core/settled.ts";
import { followed } from "../core/settled.ts";

interface RunEnding extends Ending {
  /** A generator's consumer left before it was done. */
  stopped(): void;
}

/** Calls `fn` with the span active and tells how it ended; value and error pass through untouched. */
export function runInSpan<T>(span: Span | undefined, fn: () => T, ending: RunEnding): T {
  const inside = span ? trace.setSpan(context.active(), span) : context.active();
  let value: T;
  try {
    value = context.with(inside, () => awaited(fn()) as T);
  } catch (error) {
    ending.threw(error);
    throw error;
  }
  if (isAsyncGenerator(value)) return steppedInside(value, inside, ending) as T;
  return followed(value, ending) as T;
}

/** A generator object, not anything that can be iterated: a stream that a tool returns is its result. */
export function isAsyncGenerator(value: unknown): value is AsyncGenerator<unknown, unknown, unknown> {
  return read(value, Symbol.toStringTag) === "AsyncGenerator" && typeof read(value, "next") === "function";
}

/** The same generator, each step of it with the span active. */
function steppedInside(
  generator: AsyncGenerator<unknown, unknown, unknown>,
  inside: Context,
  ending: RunEnding,
): AsyncGenerator<unknown, unknown, unknown> {
  const step = async (
    take: () => Promise<IteratorResult<unknown, unknown>>,
  ): Promise<IteratorResult<unknown, unknown>> => {
    try {
      const result = await context.with(inside, take);
      if (result.done) ending.returned(result.value);
      return result;
    } catch (error) {
      ending.threw(error);
      throw error;
    }
  };
  const methods: Partial<AsyncGenerator<unknown, unknown, unknown>> = {
    next: (value) => step(() => generator.next(value)),
    throw: (error) => step(() => generator.throw(error)),
    return: async (value) => {
      ending.stopped();
      return context.with(inside, () => generator.return(value));
    },
    [Symbol.asyncIterator]: () => stepped,
  };
  const stepped = Object.assign(Object.create(Object.getPrototypeOf(generator) as object), methods) as typeof generator;
  return stepped;
}
