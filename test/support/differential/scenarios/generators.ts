/** Tools that give their result in parts, or when they are asked for it. */
import { toolCall } from "../../agent.ts";
import { ClassTool } from "../../situations.ts";
import type { Scenario } from "../scenario.ts";
import { toolOf } from "./ingredients.ts";

const t = toolCall("t");

export const generators: readonly Scenario[] = [
  [
    "a generator that is left by its tool's error",
    ({ config, watch, note }) =>
      watch(
        toolOf(async function* () {
          try {
            yield 1;
            throw new Error("inside");
          } finally {
            note("cleans up");
          }
        }),
      ).invoke(t, config),
  ],
  [
    "a generator that is no async one",
    ({ config, watch }) =>
      watch(
        toolOf(function* () {
          yield 1;
          return "whole";
        }),
      ).invoke(t, config),
  ],
  ...[false, true].map((fails): Scenario => [
    `a promise-like that works when it is asked, and ${fails ? "fails" : "answers"}`,
    ({ config, watch, note }) => {
      const query = {
        then(resolve: (value: string) => void, reject: (error: Error) => void) {
          note("asked");
          if (fails) reject(new Error("no rows"));
          else resolve("rows");
        },
      };
      return watch(Object.assign(new ClassTool(), { _call: () => query })).invoke({ q: "x" }, config);
    },
  ]),
  [
    "an iterator with a next of its own",
    ({ config, watch }) => {
      const steps = [
        { value: "part", done: false },
        { value: "whole", done: true },
      ];
      const iterator = {
        calls: 0,
        async next(this: { calls: number }) {
          return steps[this.calls++];
        },
        [Symbol.asyncIterator]() {
          return this;
        },
      };
      return watch(toolOf(async () => iterator)).invoke(t, config);
    },
  ],
];
