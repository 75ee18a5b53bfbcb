type ToolBody = (...args: unknown[]) => unknown;

/**
 * The tool as LangChain's own `call` is to see it: with another `_call`, else the same. So nothing is written on the tool,
 * and calls in parallel keep apart. Not a proxy, since stack traces, which may go to the model, would tell.
 *
 * @param base the class whose `call` it is for; members of the classes above get the tool itself, whose private members the
 *   stand-in does not have
 */
export function standInFor(tool: object, base: object, body: ToolBody): object {
  const standIn: object = { __proto__: tool, _call: body };
  for (const [key, isMethod] of membersAbove(Object.getPrototypeOf(tool) as object | null, base)) {
    Object.defineProperty(standIn, key, {
      get() {
        const member: unknown = Reflect.get(tool, key);
        // What a getter gives or an instance holds (a schema can be a function) is data.
        return isMethod && typeof member === "function" && !Object.hasOwn(tool, key) ? member.bind(tool) : member;
      },
      set(value) {
        Reflect.set(tool, key, value);
      },
    });
  }
  return standIn;
}

/** By key, whether it is a method and no accessor. */
type Members = ReadonlyMap<PropertyKey, boolean>;

const known = new WeakMap<object, Members>();

/** What the classes from `type` up to `base` have. LangChain's own members need no private ones. */
function membersAbove(type: object | null, base: object): Members {
  if (!type) return new Map();
  const found = known.get(type);
  if (found) return found;
  const members = new Map<PropertyKey, boolean>();
  for (let at: object | null = type; at && at !== base; at = Object.getPrototypeOf(at) as object | null) {
    for (const key of Reflect.ownKeys(at)) {
      if (!members.has(key)) members.set(key, "value" in Object.getOwnPropertyDescriptor(at, key)!);
    }
  }
  for (const key of ["constructor", "call", "_call"]) members.delete(key);
  known.set(type, members);
  return members;
}

/** A method that reads private members works on no stand-in. */
export function readsPrivateMembers(method: (...args: never[]) => unknown): boolean {
  return /\.#[\w$]|#[\w$]+\s+in\s|_classPrivate|__privateGet/.test(Function.prototype.toString.call(method));
}
