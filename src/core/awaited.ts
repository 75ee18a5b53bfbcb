import { read } from "./read.ts";

/**
 * What can be awaited, as a promise that can be followed; anything else as it is. A `then` of somebody's own does its work when
 * it is called, and need not return anything.
 */
export function awaited(value: unknown): unknown {
  const isThenable = !(value instanceof Promise) && typeof read(value, "then") === "function";
  return isThenable ? Promise.resolve(value) : value;
}
