import { read } from "../../core/read.ts";

export interface Ending {
  returned(value: unknown): void;
  threw(error: unknown): void;
}

/** Makes a call and tells how it ended; value and error pass through untouched. */
export function settled(call: () => unknown, ending: Ending): unknown {
  let value: unknown;
  try {
    value = call();
  } catch (error) {
    ending.threw(error);
    throw error;
  }
  if (!isThenable(value)) {
    ending.returned(value);
    return value;
  }
  return value.then(
    (result) => {
      ending.returned(result);
      return result;
    },
    (error: unknown) => {
      ending.threw(error);
      throw error;
    },
  );
}

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof read(value, "then") === "function";
}
