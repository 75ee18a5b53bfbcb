/** Whatever an application sees, as JSON's own values, so that two runs of one scenario can be compared. */
import { createHash } from "node:crypto";
import { stackFrames } from "./stack-frames.ts";

export type Plain = null | boolean | number | string | readonly Plain[] | { readonly [key: string]: Plain };

const RANDOM_ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9a-f]{32}\b/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
/** How Node's event loop came to run the code, in a stack that became a text: it is timers that decide that. */
const EVENT_LOOP = /\n {4}at [^\n]+ \(node:internal\/(?:process\/task_queues|timers)[^\n]*/g;
const LONGEST_TEXT = 100_000;
const MOST_DEPTH = 12;

/**
 * Copies for one run of a scenario. A random id becomes the number of its first appearance, and an object that was copied
 * before becomes the number of that copy: what is the same, and what is whose parent, is still compared.
 */
export function createCopier(): (value: unknown) => Plain {
  const ids = new Map<string, number>();
  const seen = new Map<object, number>();

  const numberOf = <Key>(known: Map<Key, number>, key: Key): number => {
    if (!known.has(key)) known.set(key, known.size + 1);
    return known.get(key)!;
  };
  const text = (value: string): string => {
    if (value.length > LONGEST_TEXT) return `${value.length} ${createHash("sha256").update(value).digest("hex")}`;
    return value
      .replaceAll(RANDOM_ID, (id) => `(id ${numberOf(ids, id)})`)
      .replaceAll(TIME, "(time)")
      .replaceAll(EVENT_LOOP, "");
  };

  function copy(value: unknown, depth = 0): Plain {
    if (typeof value === "string") return text(value);
    if (value === null || typeof value === "boolean") return value;
    if (typeof value === "number" && Number.isFinite(value)) return value;
    if (typeof value === "function") return `(function ${value.name})`;
    if (typeof value !== "object") return `(${typeof value} ${String(value)})`;
    if (seen.has(value)) return `(object ${seen.get(value)})`;
    numberOf(seen, value);
    if (depth > MOST_DEPTH) return `(deep ${classOf(value)})`;
    if (value instanceof Error) return copyError(value, depth);
    if (readOr(value, "lc_runnable") === true) return `(${classOf(value)} ${String(readOr(value, "name"))})`;
    if (value instanceof AbortSignal) return { AbortSignal: value.aborted };
    if (Array.isArray(value)) return value.map((item) => copy(item, depth + 1));
    if (value instanceof Map || value instanceof Set) return { [classOf(value)]: copy([...value], depth) };
    if ("handlers" in value && Array.isArray(value.handlers)) return copyManager(value, value.handlers, depth);
    return { ...named(value), ...fields(value, Object.keys(value).filter(isTold), depth) };
  }

  function copyError(error: Error, depth: number): Plain {
    const { message, stack } = { message: readOr(error, "message"), stack: readOr(error, "stack") };
    const more = Reflect.ownKeys(error).filter((key) => key !== "stack" && key !== "message");
    return {
      error: classOf(error),
      name: copy(readOr(error, "name"), depth),
      message: copy(message, depth),
      stack: typeof stack === "string" ? stackFrames(stack, String(message)).map(text) : copy(stack, depth),
      ...fields(error, more, depth),
    };
  }

  /** A callback manager: whom it tells, and what of. Our own handler is what is meant to be more. */
  function copyManager(manager: object, handlers: readonly { name?: unknown }[], depth: number): Plain {
    const names = handlers.map(({ name }) => text(String(name))).filter((name) => name !== "toolspan");
    return { manager: names, ...fields(manager, ["_parentRunId", "runId", "tags", "metadata"], depth) };
  }

  function fields(value: object, keys: readonly PropertyKey[], depth: number): Record<string, Plain> {
    return Object.fromEntries(
      keys.map((key) => {
        const field = readOr(value, key);
        return [text(String(key)), copy(reduced(key, field), depth + 1)];
      }),
    );
  }

  return (value) => copy(value);
}

function reduced(key: PropertyKey, field: unknown): unknown {
  // A model is told all of the agent's machinery as its options: which there are is enough.
  if (key === "options" && isObject(field)) return Object.keys(field).toSorted();
  // LangGraph hands on the config that it was given; our own handler in it is what is meant to be more.
  if (key === "callbacks" && Array.isArray(field))
    return field.filter((one) => readOr(one as object, "name") !== "toolspan");
  // LangChain's tracers tell of an error by its stack.
  if (key === "error" && typeof field === "string") return [field.split("\n    at ")[0], ...stackFrames(field, "")];
  return field;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** What a message was made from says nothing that its own fields do not. */
function isTold(key: string): boolean {
  return key !== "lc_kwargs";
}

function named(value: object): Record<string, Plain> {
  const name = classOf(value);
  return name === "Object" ? {} : { class: name };
}

function classOf(value: object): string {
  const constructor: unknown = readOr(value, "constructor");
  return typeof constructor === "function" ? constructor.name : String(constructor);
}

function readOr(value: object, key: PropertyKey): unknown {
  try {
    return Reflect.get(value, key);
  } catch {
    return "(throws)";
  }
}
