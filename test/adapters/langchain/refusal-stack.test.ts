/** The stack of a refusal goes to the model: with the wrap it is, letter by letter, what it is without. */
import { tool } from "@langchain/core/tools";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { callersStack, withoutWrap } from "../../../src/adapters/langchain/refusal-stack.ts";
import { agentOf, ask, asks, done, isLangChain1, schema, toolCall } from "../../support/agent.ts";
import { unwatch, watched } from "../../support/judged.ts";
import { ClassTool } from "../../support/situations.ts";

const LIMIT = 10; // V8's own
const setLimit = (): void => {
  Error.stackTraceLimit = LIMIT;
};
beforeEach(setLimit);
afterEach(setLimit);
afterEach(unwatch);

const jsonSchema = { type: "object", properties: { q: { type: "string" } }, required: ["q"] } as const;
const strictSchema = { ...jsonSchema, additionalProperties: false };
/** What the model asks with; its words are in the message of a refusal in many words. */
const bad = { "bad\n    at first": 1 };
const fields = { name: "t", description: "d" };
const subjects = [
  ["a JSON schema", () => tool(async () => "x", { ...fields, schema: jsonSchema })],
  [
    "a JSON schema, in many words",
    () => tool(async () => "x", { ...fields, schema: strictSchema, verboseParsingErrors: true }),
  ],
  ["a class's JSON schema", () => Object.assign(new ClassTool(), { name: "t", schema: jsonSchema })],
  ["a zod schema", () => tool(async () => "x", { ...fields, schema })],
] as const;

/** What is refused, seen without the wrap and with it, each in a turn of the event loop of its own. */
async function both(see: () => Promise<unknown>): Promise<readonly [unknown, unknown]> {
  const seen: unknown[] = [];
  for (const isWatched of [false, true]) {
    if (isWatched) watched("wrap");
    seen.push(await new Promise((resolve) => setImmediate(() => resolve(see()))));
  }
  return [seen[0], seen[1]];
}

describe.each(subjects)("of %s", (_title, make) => {
  it.each([0, 1, 2, 5, LIMIT, 100])("in an error, at most %i frames", async (limit) => {
    const one = make() as ReturnType<(typeof subjects)[0][1]>;
    const [bare, wrapped] = await both(async () => {
      Error.stackTraceLimit = limit;
      return one.invoke(bad as never).catch((error: unknown) => (error as Error).stack);
    });
    expect(wrapped).toBe(bare);
    expect(String(bare)).toContain("did not match expected schema");
  });

  it.skipIf(!isLangChain1)("in what the model is told", async () => {
    const [bare, wrapped] = await both(async () => {
      const { messages } = await agentOf([make()], {}, [asks(toolCall("t", bad)), done]).invoke(ask);
      return messages.at(-2)?.content;
    });
    expect(wrapped).toBe(bare);
    expect(String(bare)).toContain("    at ");
  });
});

describe("where a stack is not what V8 writes, it stays", () => {
  const caller = () => callersStack({ schema: jsonSchema }, () => undefined);

  it.each([
    ["a list", ["a frame"]],
    ["nothing", undefined],
    ["without a frame", "Error: no"],
  ])("%s", (_title, stack) => {
    const refusal = Object.assign(new Error("no"), { stack });
    withoutWrap(refusal, caller());
    expect(refusal.stack).toBe(stack);
  });

  it.each([
    ["a refusal without a message", new Error(""), caller()],
    ["a caller without a stack", new Error("no"), { stack: undefined }],
    ["a caller whose stack is a list", new Error("no"), { stack: ["a frame"] }],
    ["no caller", new Error("no"), undefined],
  ])("%s", (_title, refusal, given) => {
    const { stack } = refusal;
    withoutWrap(refusal, given);
    expect(refusal.stack).toBe(stack);
  });
});

it.each([
  ["of zod", schema, false],
  ["of zod 3", { _def: { typeName: "ZodObject" } }, false],
  ["of zod mini", { _zod: { def: {} } }, false],
  ["of JSON", jsonSchema, true],
  ["that is missing", undefined, true],
])("looks at the caller's stack where a refusal may come at once: a schema %s", (_title, given, isLookedAt) => {
  expect(callersStack({ schema: given }, () => undefined) !== undefined).toBe(isLookedAt);
});
