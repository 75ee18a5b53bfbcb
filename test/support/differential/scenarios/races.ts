/**
 * How many steps of the microtask queue a call takes, since in an application whose branches race these decide who is first. A
 * handler beside another costs none. A wrap costs one for each promise that it follows, and that is all it may cost.
 */
import { tool } from "@langchain/core/tools";
import { fails, makeTool, schema, toolCall } from "../../agent.ts";
import { ClassTool } from "../../situations.ts";
import type { Application, Scenario } from "../scenario.ts";
import { jsonSchema } from "./ingredients.ts";

const MOST_STEPS = 200;

/** @param followed how many promises a wrap of the call has to follow */
async function raced(application: Application, followed: number, call: () => Promise<unknown>): Promise<unknown> {
  const race = { isOver: false };
  const over = (end: unknown): unknown => {
    race.isOver = true;
    return end;
  };
  const going = call().then(over, over);
  let steps = 0;
  while (!race.isOver && steps < MOST_STEPS) {
    steps += 1;
    await undefined;
  }
  application.note("steps", steps - followed * application.stepsToFollow);
  return going;
}

type Subject = readonly [what: string, followed: number, make: () => object];

/** The call's own promise, that of the tool's function, and that of each part which a generator is asked for. */
const subjects: readonly Subject[] = [
  ["a zod tool", 2, () => makeTool(() => "fine")],
  ["a JSON schema tool", 2, () => tool(async () => "fine", { name: "t", description: "d", schema: jsonSchema })],
  ["a tool that fails", 2, () => fails()],
  ["a class tool", 2, () => new ClassTool()],
  [
    "a generator",
    4,
    () =>
      tool(
        async function* () {
          yield 1;
          return "whole";
        },
        { name: "t", description: "d", schema },
      ),
  ],
];

const invoke = ({ config, watch }: Application, one: object, input: unknown) =>
  (watch(one) as ClassTool).invoke(input as never, config) as Promise<unknown>;

export const races: readonly Scenario[] = subjects.flatMap(([what, followed, make]): Scenario[] => [
  [
    `how many steps ${what} takes`,
    (application) => raced(application, followed, () => invoke(application, make(), toolCall("t"))),
  ],
  [
    `how many steps ${what} takes to refuse its arguments`,
    // What a JSON schema refuses has failed before anybody can follow it.
    (application) => raced(application, what.includes("JSON") ? 0 : 1, () => invoke(application, make(), { bad: 1 })),
  ],
]);
