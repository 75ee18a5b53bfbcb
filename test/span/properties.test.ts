/** Whatever a framework sends, in whatever order, with whatever values. */
import { ToolMessage } from "@langchain/core/messages";
import { Command, GraphInterrupt } from "@langchain/langgraph";
import { SpanStatusCode } from "@opentelemetry/api";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Recorder } from "../../src/index.ts";
import { said } from "../support/said.ts";
import { watched } from "../support/watched.ts";

const lines = said();
const CONTENT_BYTES = 120;

function hostileValues(): unknown[] {
  const boom = (): never => {
    throw new Error("trap");
  };
  const cyclic: Record<string, unknown> = {};
  cyclic["self"] = cyclic;
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const handler = { get: boom, has: boom, ownKeys: boom, getPrototypeOf: boom, getOwnPropertyDescriptor: boom };
  return [
    cyclic,
    proxy,
    new Proxy({}, handler),
    new Proxy([], handler),
    new Proxy(() => 1, handler),
    Object.defineProperty({}, "message", { enumerable: true, get: boom }),
    Object.freeze({ name: "AbortError", message: "cold", is_bubble_up: "yes" }),
    { toJSON: boom, toString: boom },
    Object.create(null),
    new Map([[cyclic, cyclic]]),
    { getType: boom, status: "error" },
    { lg_name: "Command", update: proxy },
    { then: boom },
    10n,
    Symbol("s"),
    "é😀\uD800".repeat(200),
  ];
}

const framework = (id: string) => [
  new ToolMessage({ content: "no", tool_call_id: id, status: "error" }),
  new ToolMessage({ content: "yes", tool_call_id: id }),
  new Command({ update: { messages: [new ToolMessage({ content: "no", tool_call_id: id, status: "error" })] } }),
  { isError: true, content: [{ type: "text", text: "no" }] },
  new GraphInterrupt([]),
  new DOMException("stopped", "AbortError"),
  new DOMException("late", "TimeoutError"),
  new RangeError("no", { cause: new Error("why") }),
  undefined,
];

const key = fc.constantFrom("r1", "r2", "r3", "r4");
/** As functions: fast-check reads the values it hands out, and hostile ones do not bear it. */
const value = fc.oneof(
  fc.integer({ min: 0, max: hostileValues().length - 1 }).map((index) => () => hostileValues()[index]),
  fc.tuple(fc.constantFrom("c1", "c2"), fc.integer({ min: 0, max: framework("c1").length - 1 })).map(
    ([id, index]) =>
      () =>
        framework(id)[index],
  ),
  fc
    .anything({ withBigInt: true, withMap: true, withSet: true, withDate: true, withNullPrototype: true })
    .map((any) => () => any),
);
const parentKey = fc.option(fc.constantFrom("r1", "r2", "p1", "p2", "unknown"), { nil: undefined });
const callId = fc.constantFrom(undefined, "", "c1", "c2");

type Step = (recorder: Recorder) => void;
const toolSteps = (above: typeof parentKey) =>
  fc.oneof(
    fc
      .record({ key, callId, args: value, parentKey: above })
      .map(
        (call) =>
          [
            "start",
            call.key,
            (recorder: Recorder) => recorder.onToolStart({ name: "t", ...call, args: call.args() }),
          ] as const,
      ),
    fc
      .tuple(key, value)
      .map(([run, ended]) => ["end", run, (recorder: Recorder) => recorder.onToolEnd(run, ended())] as const),
    fc
      .tuple(key, value)
      .map(([run, error]) => ["end", run, (recorder: Recorder) => recorder.onToolError(run, error())] as const),
  );
const parent = fc.constantFrom("p1", "p2", "r1");
const parentStep = fc.oneof(
  fc.tuple(parent, parentKey).map(
    ([run, above]): Step =>
      (recorder) =>
        recorder.onParentStart({ key: run, parentKey: above }),
  ),
  fc.tuple(parent, value).map(
    ([run, ended]): Step =>
      (recorder) =>
        recorder.onParentEnd(run, ended()),
  ),
  fc.tuple(parent, value).map(
    ([run, error]): Step =>
      (recorder) =>
        recorder.onParentError(run, error()),
  ),
);
const options = fc.record({
  captureContent: fc.boolean(),
  errorOutcomes: fc.constantFrom([], ["cancelled"] as const, ["cancelled", "denied"] as const),
  errorMessages: fc.constantFrom("masked", "off", "stack"),
  successStatus: fc.constantFrom("unset", "ok"),
  limits: fc.record({ contentBytes: fc.constant(CONTENT_BYTES), openRuns: fc.constantFrom(1, 2, 1000) }),
} as const);

describe("any sequence of events with any values", () => {
  it("never throws, leaves no span open, counts each run once, and ERROR is exactly where error.type is", async () => {
    const steps = fc.array(
      fc.oneof(
        toolSteps(parentKey).map(([, , step]): Step => step),
        parentStep,
      ),
      { maxLength: 25 },
    );
    await fc.assert(
      fc.asyncProperty(options, steps, async (given, sequence) => {
        const { recorder, spans, started, counts } = watched(given as never);
        for (const step of sequence) step(recorder);
        recorder.shutdown();
        expect(spans()).toHaveLength(started.length);
        expect(new Set(started).size).toBe(started.length);
        for (const { status, attributes } of spans()) {
          expect("error.type" in attributes).toBe(status.code === SpanStatusCode.ERROR);
          expect(status.message ?? "").toMatch(status.code === SpanStatusCode.ERROR ? /^.{1,256}$/u : /^$/);
          expect(attributes["error.type"] ?? "x").toMatch(/^[\w.:/$-]{1,64}$/);
          for (const name of ["gen_ai.tool.call.arguments", "gen_ai.tool.call.result"]) {
            const json = attributes[name];
            if (json === undefined) continue;
            JSON.parse(String(json));
            expect(Buffer.byteLength(String(json))).toBeLessThanOrEqual(CONTENT_BYTES);
          }
        }
        const points = await counts();
        expect(points.reduce((sum, { count }) => sum + count, 0)).toBe(spans().length);
        const failed = spans().filter(({ attributes }) => "error.type" in attributes).length;
        const counted = points
          .filter(({ attributes }) => "error.type" in attributes)
          .reduce((sum, { count }) => sum + count, 0);
        // A run that was closed to make room is counted as what its late end says.
        expect(counted).toBeGreaterThanOrEqual(failed);
        expect(counted === failed || given.limits.openRuns < 1000).toBe(true);
        expect(lines).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it("without parents and limits: exactly one span a started run, one for an end whose start was lost", () => {
    fc.assert(
      fc.property(fc.array(toolSteps(fc.constant(undefined)), { maxLength: 30 }), (sequence) => {
        const { recorder, spans } = watched();
        const open = new Set<string>();
        const ended = new Set<string>();
        let runs = 0;
        for (const [kind, run, step] of sequence) {
          step(recorder);
          if (kind === "start" && !open.has(run)) {
            runs++;
            open.add(run);
          } else if (kind === "end") {
            if (!open.delete(run) && !ended.has(run)) runs++;
            ended.add(run);
          }
        }
        recorder.shutdown();
        expect(spans()).toHaveLength(runs);
      }),
      { numRuns: 300 },
    );
  });
});
