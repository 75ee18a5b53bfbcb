import * as nodeModule from "node:module";

/** Node has it since 22.15; the types of Node 20 do not know it. */
interface SyncHooks {
  readonly registerHooks?: (hooks: { resolve: Resolve }) => unknown;
}

type Resolve = (specifier: string, context: Context, next: Next) => unknown;
type Next = (specifier: string, context: Context) => unknown;
interface Context {
  readonly parentURL?: string;
}

/**
 * Lets the modules of a package find their imports where another module would: a command that was installed globally, or
 * fetched by npx, then plays the frameworks of the user's own project. For imports that come after the call.
 *
 * @param inside URL of the folder whose modules are meant
 * @param base URL of the module in whose place they look
 */
export function resolveFrom(inside: string, base: string): void {
  const { registerHooks } = nodeModule as SyncHooks;
  if (registerHooks) registerHooks({ resolve: createResolve(inside, base) });
  else nodeModule.register(`data:text/javascript,${encodeURIComponent(hookSource(inside, base))}`);
}

function createResolve(inside: string, base: string): Resolve {
  return (specifier, context, next) => {
    const isOurs = /^[@\w]/.test(specifier) && !specifier.includes(":") && context.parentURL?.startsWith(inside);
    return next(specifier, isOurs ? { ...context, parentURL: base } : context);
  };
}

/** Before 22.15 hooks run on a thread of their own, which gets them as text. */
function hookSource(inside: string, base: string): string {
  return `export const resolve = (${String(createResolve)})(${JSON.stringify(inside)}, ${JSON.stringify(base)});`;
}
