import type { LoadHookContext } from "node:module";
import * as nodeModule from "node:module";

type Loaded = (name: string, module: object) => void;

interface LoadResult {
  readonly format: string | null | undefined;
  readonly source?: string | ArrayBuffer | NodeJS.TypedArray | null | undefined;
}

type Next = (url: string, context: LoadHookContext) => LoadResult | Promise<LoadResult>;
type Load = (url: string, context: LoadHookContext, next: Next) => LoadResult | Promise<LoadResult>;

/** Node has it since 22.15; the types of Node 20 do not know it. */
interface SyncHooks {
  readonly registerHooks?: (hooks: { load: Load }) => unknown;
}

/** The loaded module tells by it that it is there. */
const LOADED = "toolspan.register.loaded";

/**
 * Tells of modules as soon as they have run, each copy of them, before any code that imports them does.
 *
 * @param names ends of the files' paths, without the extension
 */
export function onModule(names: readonly string[], loaded: Loaded): void {
  const pattern = `/(${names.join("|")})\\.(?:js|mjs|cjs)$`;
  const nameOf = (path: string): string | undefined => new RegExp(pattern).exec(path.replaceAll("\\", "/"))?.[1];
  hookCommonJs((path, module) => {
    const name = nameOf(path);
    if (name) loaded(name, module);
  });
  Object.defineProperty(globalThis, Symbol.for(LOADED), { value: loaded, configurable: true });
  const { registerHooks } = nodeModule as SyncHooks;
  if (registerHooks) registerHooks({ load: createLoad(pattern, LOADED) });
  else nodeModule.register(`data:text/javascript,${encodeURIComponent(hookSource(pattern))}`);
}

/** Lets an ES module tell of itself with its last line. It must not use anything around it: see `hookSource`. */
function createLoad(pattern: string, symbol: string): Load {
  return (url, context, next) => {
    const name = new RegExp(pattern).exec(url)?.[1];
    const telling = (result: LoadResult): LoadResult => {
      if (result.format !== "module" || !result.source) return result;
      const source = typeof result.source === "string" ? result.source : new TextDecoder().decode(result.source);
      const tell = `globalThis[Symbol.for(${JSON.stringify(symbol)})]?.(${JSON.stringify(name)}, toolspanSelf);`;
      return { ...result, source: `${source}\n;import * as toolspanSelf from ${JSON.stringify(url)};${tell}\n` };
    };
    const result = next(url, context);
    if (!name) return result;
    return "then" in result ? result.then(telling) : telling(result);
  };
}

/** Before 22.15 hooks run on a thread of their own, which gets them as text. */
function hookSource(pattern: string): string {
  return `export const load = (${String(createLoad)})(${JSON.stringify(pattern)}, ${JSON.stringify(LOADED)});`;
}

interface CommonJsModule {
  exports: unknown;
  _compile(source: string, path: string, ...rest: unknown[]): unknown;
}

/** Every CommonJS file is compiled by this method, once; no public hook of Node 20 sees them. */
function hookCommonJs(ran: (path: string, module: object) => void): void {
  const prototype = nodeModule.Module.prototype as unknown as CommonJsModule;
  const compile = prototype._compile;
  prototype._compile = function _compile(source, path, ...rest) {
    const result = Reflect.apply(compile, this, [source, path, ...rest]) as unknown;
    if (typeof this.exports === "object" && this.exports !== null) ran(path, this.exports);
    return result;
  };
}
