import { context, trace } from "@opentelemetry/api";
import { beforeAll, expect, it } from "vitest";
import { insideRun } from "../../../src/adapters/langchain/inside-run.ts";
import { createAdapterRecorder } from "../../../src/span/recorder.ts";
import { traced, useContextManager } from "../../support/traced.ts";

beforeAll(useContextManager);

const activeId = () => trace.getSpan(context.active())?.spanContext().spanId;

/** An open run, its span's id, and what the run's body was told to have returned and thrown. */
function opened() {
  const { tracerProvider, started } = traced();
  const run = createAdapterRecorder({ tracerProvider }).enter({ key: "run", name: "t" })!;
  const told: unknown[] = [];
  const thrown: unknown[] = [];
  const ending = { returned: (value: unknown) => told.push(value), threw: (error: unknown) => thrown.push(error) };
  return { id: started[0], told, thrown, inside: (body: () => unknown) => insideRun(run, body, ending) };
}

it("a value comes back as it is and at once", () => {
  const { id, told, inside } = opened();
  expect(inside(activeId)).toBe(id);
  expect(told).toEqual([id]);
});

it("a function that has a `next` is a value, as it is for LangChain", () => {
  const { told, inside } = opened();
  const value = Object.assign(() => 1, { next: () => 1 });
  expect(inside(() => value)).toBe(value);
  expect(told).toEqual([value]);
});

it("each step of a generator is inside, and its last value is the result", () => {
  const { id, told, inside } = opened();
  function* body() {
    yield activeId();
    yield activeId();
    return "last";
  }
  const steps = inside(body) as ReturnType<typeof body>;
  expect([...steps]).toEqual([id, id]);
  expect(told).toEqual(["last"]);
  expect(activeId()).toBeUndefined();
});

it("each step of an async generator too, however it is read", async () => {
  const { id, told, inside } = opened();
  async function* body() {
    yield activeId();
    await Promise.resolve();
    yield activeId();
    return "last";
  }
  const seen: unknown[] = [];
  for await (const step of inside(body) as ReturnType<typeof body>) seen.push(step);
  expect(seen).toEqual([id, id]);
  expect(told).toEqual(["last"]);
});

it("a step that is told tells no result before the last", () => {
  const { told, inside } = opened();
  function* body() {
    yield "first";
  }
  const steps = inside(body) as ReturnType<typeof body>;
  expect(steps.next()).toEqual({ value: "first", done: false });
  expect(told).toEqual([]);
});

it("a reader that leaves early gets what the generator gives, and there is no result", () => {
  const { told, inside } = opened();
  function* body() {
    yield "first";
    return "last";
  }
  const steps = inside(body) as ReturnType<typeof body>;
  steps.next();
  expect(steps.return("left")).toEqual({ value: "left", done: true });
  expect(told).toEqual([]);
});

it("what else a generator has can be read", () => {
  const { inside } = opened();
  class Counter {
    readonly tag = "mine";
    next = () => ({ done: true, value: 1 });
  }
  const counter = inside(() => new Counter()) as Counter;
  expect(counter.tag).toBe("mine");
  expect(counter.constructor).toBe(Counter);
  expect(counter.next()).toEqual({ done: true, value: 1 });
});

it("a promise of a generator is one too", async () => {
  const { id, inside } = opened();
  function* body() {
    yield activeId();
  }
  const steps = (await inside(async () => body())) as ReturnType<typeof body>;
  expect([...steps]).toEqual([id]);
});

const boom = new Error("boom");
const fail = (): never => {
  throw boom;
};

it.each<[string, (body: (body: () => unknown) => unknown) => unknown]>([
  ["a body", (inside) => inside(fail)],
  ["a body, later", (inside) => inside(() => Promise.reject(boom))],
  [
    "a step",
    (inside) =>
      (
        inside(function* () {
          yield fail();
        }) as Generator
      ).next(),
  ],
  [
    "a step, later",
    (inside) =>
      (
        inside(async function* () {
          yield fail();
        }) as AsyncGenerator
      ).next(),
  ],
])("what %s throws is told once, and thrown", async (_title, run) => {
  const { told, thrown, inside } = opened();
  await expect((async () => run(inside))()).rejects.toBe(boom);
  expect([told, thrown]).toEqual([[], [boom]]);
});
