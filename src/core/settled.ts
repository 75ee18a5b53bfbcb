import { awaited } from "./awaited.ts";

export interface Ending {
  returned(value: unknown): void;
  threw(error: unknown): void;
}

/** Makes a call and tells how it ended; value and error pass through untouched. */
export function settled(call: () => unknown, ending: Ending): unknown {
  let value: unknown;
  try {
    value = awaited(call());
  } catch (error) {
    ending.threw(error);
    throw error;
  }
  return followed(value, ending);
}

/** Tells what a call gave, or what becomes of the promise that it gave; the same goes on. */
export function followed(value: unknown, ending: Ending): unknown {
  if (!(value instanceof Promise)) {
    ending.returned(value);
    return value;
  }
  return value.then(
    (result: unknown) => {
      ending.returned(result);
      return result;
    },
    (error: unknown) => {
      ending.threw(error);
      throw error;
    },
  );
}
