import { read, readItems, readText } from "../../core/read.ts";
import type { Method } from "./record-call.ts";

/**
 * Gives the handler to every run of this copy of LangChain.js, after the application's own handlers, and not where one of
 * the same name is attached already. LangChain makes the callback manager of each run by `CallbackManager._configureSync`;
 * its own registration of handlers (`registerConfigureHook`) reaches only code that is called from where it was done.
 *
 * @param managerModule the module that holds `CallbackManager`
 */
export function attachHandler(managerModule: object, handler: { readonly name: string }): void {
  const type = read(managerModule, "CallbackManager");
  const original = read(type, "_configureSync") as Method | undefined;
  if (typeof original !== "function") return;
  function _configureSync(this: unknown, inheritable: unknown, local: unknown, ...rest: unknown[]): unknown {
    return Reflect.apply(original!, this, [withHandler(inheritable, local, handler), local, ...rest]);
  }
  const place = { configurable: true, enumerable: false, writable: true };
  Object.defineProperty(type as object, "_configureSync", { ...place, value: _configureSync });
}

/** The callbacks of a run with the handler among them; the application's own list and manager are not written on. */
function withHandler(callbacks: unknown, local: unknown, handler: { readonly name: string }): unknown {
  const isAttached = [callbacks, local].some((given) => {
    const handlers = readItems(given) ?? readItems(read(given, "handlers")) ?? [];
    return handlers.some((one) => readText(one, "name") === handler.name);
  });
  if (isAttached) return callbacks;
  const list = readItems(callbacks);
  if (list || !callbacks) return [...(list ?? []), handler];
  const copy = read(callbacks, "copy");
  return typeof copy === "function" ? (Reflect.apply(copy, callbacks, [[handler]]) as unknown) : callbacks;
}
