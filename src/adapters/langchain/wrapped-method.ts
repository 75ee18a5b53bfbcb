import type { AdapterRecorder } from "../../span/recorder.ts";
import type { Called, Method } from "./record-call.ts";

/** Marks a wrap of ours with what belongs to it; copies of this library that agree on it share their wraps. */
const WRAP = Symbol.for("toolspan.langchain.wrap.v1");

interface Wrap {
  /** Who is watched: the owner of the method, which stands for all, or single tools. */
  readonly subjects: WeakMap<object, { readonly recorder: AdapterRecorder; readonly undo: () => void }>;
  count: number;
  restore(): void;
}

type Record = (recorder: AdapterRecorder, called: Called) => unknown;

/**
 * Has the calls of a method recorded. The method is wrapped once, however many ask.
 *
 * @param owner whose own property the method is, or is to be
 * @param subject the owner, for all that have the method from it; or one of those
 * @returns ends it; with the last one the property is again as it was. A wrap which somebody else has put over ours stays, and
 * ours only passes on from then on.
 * @throws {TypeError} where the owner is frozen
 */
export function watchMethod(
  owner: object,
  name: string,
  subject: object,
  recorder: AdapterRecorder,
  record: Record,
): () => void {
  const wrap = existingWrap(owner, name) ?? putWrap(owner, name, record);
  const earlier = wrap.subjects.get(subject);
  if (earlier) return earlier.undo;
  const undo = (): void => {
    if (wrap.subjects.get(subject)?.undo !== undo) return;
    wrap.subjects.delete(subject);
    wrap.count -= 1;
    if (wrap.count === 0) wrap.restore();
  };
  wrap.subjects.set(subject, { recorder, undo });
  wrap.count += 1;
  return undo;
}

function existingWrap(owner: object, name: string): Wrap | undefined {
  const method = Object.getOwnPropertyDescriptor(owner, name)?.value as { [WRAP]?: Wrap } | undefined;
  return method?.[WRAP];
}

function putWrap(owner: object, name: string, record: Record): Wrap {
  const before = Object.getOwnPropertyDescriptor(owner, name);
  const original = Reflect.get(owner, name) as Method;
  const wrap: Wrap = {
    subjects: new WeakMap(),
    count: 0,
    restore() {
      if (existingWrap(owner, name) !== wrap) return;
      if (before) Object.defineProperty(owner, name, before);
      else Reflect.deleteProperty(owner, name);
    },
  };
  function wrapped(this: object, ...args: unknown[]): unknown {
    const subject = wrap.subjects.get(this) ?? wrap.subjects.get(owner);
    if (!subject) return Reflect.apply(original, this, args);
    return record(subject.recorder, { original, tool: this, args, wrap: wrapped });
  }
  Object.defineProperties(wrapped, { name: { value: name }, [WRAP]: { value: wrap } });
  const place = before ?? { configurable: true, enumerable: false, writable: true };
  if (!Reflect.defineProperty(owner, name, { ...place, value: wrapped })) {
    throw new TypeError(
      `toolspan: ${name} of a frozen object cannot be wrapped; give a ToolspanHandler in callbacks instead`,
    );
  }
  return wrap;
}
