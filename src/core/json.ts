import { className, isObject, read, readKeys, readMap } from "./read.ts";

/** Stands for whatever was left out. */
const CUT = '"…"';
const MOST_DEPTH = 32;

/** Looks at each value before it is written; what it returns is written instead. */
export type Replacer = (key: string, value: unknown) => unknown;

/**
 * JSON text of any value, at most `limit` bytes of UTF-8, that always parses. What does not fit is replaced by "…":
 * long strings keep their beginning, long lists and objects their first entries. Cycles, BigInt, Map, Set, Date,
 * throwing getters and `toJSON` survive.
 *
 * @returns undefined for `undefined`, and where not even the sign for a cut fits
 */
export function toJson(value: unknown, limit: number, replace?: Replacer): string | undefined {
  if (value === undefined) return undefined;
  const whole = new Writer(replace, true).write("", value, limit, 0);
  return whole ?? new Writer(replace, false).write("", value, limit, 0);
}

class Writer {
  private readonly ancestors = new Set<object>();
  private readonly replace: Replacer | undefined;
  /** Cuts nothing: what does not fit whole is not written at all. */
  private readonly isStrict: boolean;

  constructor(replace: Replacer | undefined, isStrict: boolean) {
    this.replace = replace;
    this.isStrict = isStrict;
  }

  /** @returns the text, or undefined when nothing at all fits into `budget` bytes */
  write(key: string, given: unknown, budget: number, depth: number): string | undefined {
    const value = this.replace ? this.replace(key, given) : given;
    const plain = isObject(value) ? plainForm(value) : value;
    if (isObject(plain)) {
      if (this.ancestors.has(plain)) return fit('"[circular]"', budget);
      if (depth >= MOST_DEPTH) return fit(CUT, budget);
      this.ancestors.add(plain);
      try {
        return Array.isArray(plain) ? this.list(plain, budget, depth) : this.record(plain, budget, depth);
      } catch {
        return fit('"[unreadable]"', budget);
      } finally {
        this.ancestors.delete(plain);
      }
    }
    if (typeof plain === "string")
      return wholeText(plain, budget) ?? (this.isStrict ? undefined : cutText(plain, budget));
    if (typeof plain === "bigint" || typeof plain === "symbol") return wholeText(String(plain), budget);
    if (typeof plain === "number" && !Number.isFinite(plain)) return wholeText(String(plain), budget);
    return fit(plain === undefined ? "null" : JSON.stringify(plain), budget);
  }

  private list(items: readonly unknown[], budget: number, depth: number): string | undefined {
    const parts = new Parts("[", "]", budget, this.isStrict);
    for (let index = 0; index < items.length; index++) {
      const room = parts.room(index === items.length - 1);
      const item = this.write(String(index), readOr(items, index), room, depth + 1);
      if (item === undefined) return parts.cut(CUT);
      parts.add(item);
    }
    return parts.close();
  }

  private record(value: object, budget: number, depth: number): string | undefined {
    const parts = new Parts("{", "}", budget, this.isStrict);
    const entries = writableEntries(value, budget);
    for (const [index, [key, member]] of entries.entries()) {
      const name = `${JSON.stringify(key)}:`;
      const room = parts.room(index === entries.length - 1) - byteLength(name);
      const item = this.write(key, member, room, depth + 1);
      if (item === undefined) return parts.cut(`${CUT}:${CUT}`);
      parts.add(name + item);
    }
    return parts.close();
  }
}

/** The entries of one list or object, which never outgrow their budget: room for the sign of a cut is kept back. */
class Parts {
  private readonly entries: string[] = [];
  private used: number;
  private readonly open: string;
  private readonly end: string;
  private readonly budget: number;
  private readonly isStrict: boolean;

  constructor(open: string, end: string, budget: number, isStrict: boolean) {
    this.open = open;
    this.end = end;
    this.budget = budget;
    this.isStrict = isStrict;
    this.used = open.length + end.length;
  }

  /** Bytes the next entry may take; the last one need not leave room for the sign of a cut. */
  room(last: boolean): number {
    const comma = this.entries.length > 0 ? 1 : 0;
    return this.budget - this.used - comma - (last || this.isStrict ? 0 : SIGN_BYTES);
  }

  add(entry: string): void {
    this.used += byteLength(entry) + (this.entries.length > 0 ? 1 : 0);
    this.entries.push(entry);
  }

  cut(sign: string): string | undefined {
    if (this.isStrict) return undefined;
    // Behind another entry there is room for it: that was kept back.
    if (this.used + byteLength(sign) <= this.budget) this.entries.push(sign);
    return this.close();
  }

  close(): string | undefined {
    return fit(`${this.open}${this.entries.join(",")}${this.end}`, this.budget);
  }
}

/** `,"…":"…"` in bytes. */
const SIGN_BYTES = 12;

function fit(json: string, budget: number): string | undefined {
  return byteLength(json) <= budget ? json : undefined;
}

function byteLength(json: string): number {
  return Buffer.byteLength(json);
}

function wholeText(value: string, budget: number): string | undefined {
  // A character takes at least one byte: no need to encode a text of millions of them.
  return value.length <= budget ? fit(JSON.stringify(value), budget) : undefined;
}

/** A JSON string of at most `budget` bytes, cut between characters. */
function cutText(value: string, budget: number): string | undefined {
  let bytes = byteLength(CUT);
  if (bytes > budget) return undefined;
  let end = 0;
  for (const character of value) {
    bytes += byteLength(JSON.stringify(character)) - 2;
    if (bytes > budget) break;
    end += character.length;
  }
  return JSON.stringify(`${value.slice(0, end)}…`);
}

/** Entries as `JSON.stringify` would choose them; each is read once, and no more than can fit are read. */
function writableEntries(value: object, budget: number): readonly (readonly [string, unknown])[] {
  const entries: [string, unknown][] = [];
  for (const key of readKeys(value)) {
    if (entries.length * LEAST_ENTRY_BYTES > budget) break;
    const member = readOr(value, key);
    if (member !== undefined && typeof member !== "function") entries.push([key, member]);
  }
  return entries;
}

/** `"":0,` */
const LEAST_ENTRY_BYTES = 5;

/** A getter that throws reads as `undefined` everywhere else; in a captured value it is shown. */
function readOr(value: object, key: string | number): unknown {
  try {
    return (value as Record<string | number, unknown>)[key];
  } catch {
    return "[unreadable]";
  }
}

/** What `JSON.stringify` would not show, or would throw on, in a form it shows. */
function plainForm(value: object): unknown {
  try {
    if (typeof value === "function") return `[function ${value.name}]`;
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
    const entries = readMap(value);
    if (entries) return Object.fromEntries(entries);
    if (value instanceof Set) return [...value];
    if (value instanceof Error) return errorForm(value);
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer)
      return `[${className(value)} ${value.byteLength} bytes]`;
    if (value instanceof RegExp) return String(value);
    const toJSON = read(value, "toJSON");
    if (typeof toJSON === "function") return ownForm(value, toJSON as () => unknown);
    return value;
  } catch {
    return "[unreadable]";
  }
}

function ownForm(value: object, toJSON: () => unknown): unknown {
  try {
    return toJSON.call(value);
  } catch {
    return value; // its fields say more than the fault of its toJSON
  }
}

function errorForm(error: Error): Record<string, unknown> {
  return {
    name: read(error, "name"),
    message: read(error, "message"),
    code: read(error, "code"),
    cause: read(error, "cause"),
  };
}
