import { expect, it } from "vitest";
import { watchMethod } from "../../../src/adapters/langchain/wrapped-method.ts";
import { createAdapterRecorder } from "../../../src/span/recorder.ts";

const recorder = createAdapterRecorder();

class Runnable {
  invoke(): string {
    return "invoked";
  }
}

/** A watch of `invoke` that writes down whose it was. */
function watching(owner: object, subject: object = owner) {
  const seen: object[] = [];
  const undo = watchMethod(owner, "invoke", subject, recorder, (_recorder, { original, tool, args }) => {
    seen.push(tool);
    return Reflect.apply(original, tool, args);
  });
  return { seen, undo };
}

it("looks like the method it stands for, and says whose wrap it is", () => {
  const one = new Runnable();
  const { undo } = watching(one);
  expect(one.invoke.name).toBe("invoke");
  expect(Object.getOwnPropertyDescriptor(one, "invoke")).toMatchObject({
    configurable: true,
    enumerable: false,
    writable: true,
  });
  expect(Object.getOwnPropertySymbols(one.invoke).map((key) => Symbol.keyFor(key))).toEqual([
    "toolspan.langchain.wrap.v1",
  ]);
  undo();
  expect(Object.hasOwn(one, "invoke")).toBe(false);
});

it("keeps the place of a method that the tool itself holds, and gives it back", () => {
  const one = { invoke: () => "own" };
  const before = Object.getOwnPropertyDescriptor(one, "invoke");
  const { seen, undo } = watching(one);
  expect(Object.keys(one)).toEqual(["invoke"]);
  expect(one.invoke()).toBe("own");
  expect(seen).toEqual([one]);
  undo();
  expect(Object.getOwnPropertyDescriptor(one, "invoke")).toEqual(before);
});

it("an undo that is called twice ends its own watch only", () => {
  const [one, other] = [new Runnable(), new Runnable()];
  const first = watching(Runnable.prototype, one);
  watchMethod(Runnable.prototype, "invoke", other, recorder, () => "unused: the wrap is there already");
  first.undo();
  first.undo();
  one.invoke();
  other.invoke();
  expect(first.seen).toEqual([other]);
});

it("another's wrap over ours stays when ours comes off", () => {
  const one = new Runnable();
  const { seen, undo } = watching(one);
  const ours = one.invoke;
  const theirs = function (this: Runnable) {
    return `their ${ours.call(this)}`;
  };
  one.invoke = theirs;
  undo();
  expect(one.invoke).toBe(theirs);
  expect(one.invoke()).toBe("their invoked");
  expect(seen).toEqual([]);
});
