/** Whatever a tool can throw, called by hand and by an agent. */
import { ToolInputParsingException } from "@langchain/core/tools";
import { agentOf, ask, makeTool } from "../../agent.ts";
import { sleep } from "../../situations.ts";
import type { Scenario } from "../scenario.ts";
import { PaymentRefused } from "./ingredients.ts";

const hidden = (): Error => Object.defineProperty(new Error("read me not"), "message", { get: throwing });

function throwing(): never {
  throw new RangeError("a getter's own");
}

const errors: Readonly<Record<string, () => unknown>> = {
  "an error with a code, details and a cause": () =>
    new PaymentRefused("no", { cause: new TypeError("why", { cause: "deep" }) }),
  "an error that is frozen": () => Object.freeze(new Error("frozen")),
  "an error with no stack": () => Object.assign(new Error("bare"), { stack: undefined }),
  "an error whose message throws": hidden,
  "an error that is a proxy": () => new Proxy(new RangeError("proxied"), {}),
  "several errors in one": () => new AggregateError([new Error("one"), new Error("other")], "both"),
  "a plain object": () => ({ status: "error", reason: "none" }),
  "an object without a prototype": () => Object.assign(Object.create(null) as object, { reason: "none" }),
  "an object that is frozen": () => Object.freeze({ reason: "none" }),
  null: () => null,
  "a number": () => 404,
  "a symbol": () => Symbol("gone"),
  "a function": () => throwing,
  "a promise-like": () => ({ then: "not a function" }),
  "LangChain's own refusal": () => new ToolInputParsingException("mine", "{}"),
};

const throwingTool = (make: () => unknown, isLate = false) =>
  makeTool(async () => {
    if (isLate) await sleep(1);
    throw make();
  });

export const thrown: readonly Scenario[] = Object.entries(errors).flatMap(([what, make]): Scenario[] => [
  [
    `a tool called by hand throws ${what}`,
    async ({ config, watch, note }) => {
      const given = make();
      try {
        await watch(throwingTool(() => given)).invoke({ q: "x" }, config);
      } catch (error) {
        note("is the very one", error === given);
        throw error;
      }
    },
  ],
  [
    `an agent's tool throws ${what} after a while`,
    ({ config, watch }) => agentOf([watch(throwingTool(make, true))]).invoke(ask, config as never),
  ],
]);
