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
  for (const key of membersAbove(Object.getPrototypeOf(tool) as object | null, base)) {
    Object.defineProperty(standIn, key, {
      get() {
        const member: unknown = Reflect.get(tool, key);
        return typeof member === "function" && isMethod(tool, key) ? member.bind(tool) : member;
      },
      set(value) {
        Reflect.set(tool, key, value);
      },
    });
  }
  return standIn;
}

const known = new WeakMap<object, readonly PropertyKey[]>();

/** What the classes from `type` up to `base` have. LangChain's own members need no private ones. */
function membersAbove(type: object | null, base: object): readonly PropertyKey[] {
  if (!type) return [];
  const found = known.get(type);
  if (found) return found;
  const members = new Set<PropertyKey>();
  for (let at: object | null = type; at && at !== base; at = Object.getPrototypeOf(at) as object | null) {
    for (const key of Reflect.ownKeys(at)) members.add(key);
  }
  for (const key of ["constructor", "call", "_call"]) members.delete(key);
  known.set(type, [...members]);
  return [...members];
}

/** A function that sits on a class; one that a getter gives or an instance holds (a schema can be one) is data. */
function isMethod(tool: object, key: PropertyKey): boolean {
  if (Object.hasOwn(tool, key)) return false;
  let owner: unknown = tool;
  while ((owner = Object.getPrototypeOf(owner))) {
    const descriptor = Object.getOwnPropertyDescriptor(owner, key);
    if (descriptor) return "value" in descriptor;
  }
  return false;
}

/** A method that reads private members works on no stand-in. */
export function readsPrivateMembers(method: (...args: never[]) => unknown): boolean {
  return /\.#[\w$]|#[\w$]+\s+in\s|_classPrivate|__privateGet/.test(Function.prototype.toString.call(method));
}
