import { parseArgs } from "node:util";

type Options = Readonly<Record<string, { readonly type: "boolean" | "string"; readonly short?: string }>>;

/** A flag that was not given is false, a text nothing. */
type Values<T extends Options> = {
  readonly [K in keyof T]: T[K]["type"] extends "boolean" ? boolean : string | undefined;
};

/**
 * Reads a command's options.
 * @throws {TypeError} beginning with `toolspan:`, for what the command does not know
 */
export function parseOptions<T extends Options>(command: string, args: readonly string[], options: T): Values<T> {
  try {
    const given: Readonly<Record<string, unknown>> = parseArgs({ args: [...args], options }).values;
    const names = Object.keys(options) as (keyof T & string)[];
    return Object.fromEntries(names.map((name) => [name, given[name] ?? defaultOf(options[name])])) as Values<T>;
  } catch (error) {
    // Node goes on with advice on escaping; its first sentence says it all.
    const what = error instanceof Error ? (error.message.split(". ")[0] ?? "") : String(error);
    const words = what.charAt(0).toLowerCase() + what.slice(1);
    throw new TypeError(`toolspan: ${command}: ${words}; see toolspan ${command} --help`, { cause: error });
  }
}

function defaultOf(option: Options[string] | undefined): false | undefined {
  return option?.type === "boolean" ? false : undefined;
}
