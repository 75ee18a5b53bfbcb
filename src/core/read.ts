/**
 * Reading values that belong to somebody else. Tools return and throw anything: proxies whose traps throw, getters that
 * throw, revoked objects. No read here throws.
 */

export function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}

export function read(value: unknown, key: PropertyKey): unknown {
  if (!isObject(value)) return undefined;
  try {
    return (value as Record<PropertyKey, unknown>)[key];
  } catch {
    return undefined;
  }
}

/** The property when it is a string that says something, else nothing. */
export function readText(value: unknown, key: PropertyKey): string | undefined {
  const found = read(value, key);
  return typeof found === "string" && found !== "" ? found : undefined;
}

/** No list of foreign values is walked further than this. */
const MOST_ITEMS = 1000;

/** The items of an array, `undefined` for anything else. `Array.isArray` itself throws on a revoked proxy. */
export function readItems(value: unknown): readonly unknown[] | undefined {
  try {
    if (!Array.isArray(value)) return undefined;
    const items: unknown[] = [];
    for (let index = 0; index < value.length && index < MOST_ITEMS; index++) items.push(read(value, index));
    return items;
  } catch {
    return undefined;
  }
}

export function readKeys(value: unknown): readonly string[] {
  try {
    return Object.keys(value as object);
  } catch {
    return [];
  }
}

/** `instanceof`, which a proxy can make throw. */
export function isInstance<T>(value: unknown, type: new (...args: never[]) => T): value is T {
  try {
    return value instanceof type;
  } catch {
    return false;
  }
}

/** The entries of a Map with its keys as texts, `undefined` for anything else. */
export function readMap(value: unknown): readonly (readonly [string, unknown])[] | undefined {
  if (!isInstance<Map<unknown, unknown>>(value, Map)) return undefined;
  try {
    return [...value].map(([key, member]) => [isObject(key) ? (className(key) ?? "object") : String(key), member]);
  } catch {
    return undefined; // it only inherits from Map
  }
}

/** The name of the class that made the value; `undefined` for what has none of its own. */
export function className(value: unknown): string | undefined {
  const name = readText(read(value, "constructor"), "name");
  return name === "Object" || name === "Function" || name === "Array" ? undefined : name;
}
