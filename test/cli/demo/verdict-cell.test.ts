import { expect, it } from "vitest";
import type { ToolRun } from "../../../src/cli/demo/tool-run.ts";
import { agentVerdict, modelVerdict, peerVerdict, toolVerdict } from "../../../src/cli/demo/verdict-cell.ts";
import type { Paint } from "../../../src/cli/paint.ts";
import type { ReceivedSpan } from "../../../src/cli/receiver/receiver.ts";

/** Colours in words. */
const paint: Paint = (style, text) => `${style}: ${text}`;
const shown = ({ text, paint: paintText }: ReturnType<typeof toolVerdict>): string => paintText?.(text) ?? text;

const run = (fields: Partial<ToolRun>): string => shown(toolVerdict({ ...RUN, ...fields }, paint));
const RUN: ToolRun = {
  tool: "t",
  callId: "c",
  status: "UNSET",
  outcome: "ok",
  errorType: undefined,
  message: "",
  executed: true,
  attempt: 1,
  recovered: false,
  requestedTool: undefined,
  peerStatus: undefined,
  peerFault: "unseen",
};
const failure = { outcome: "error", errorType: "E", message: "no" };

it.each([
  [{}, "green: ok"],
  [{ attempt: 2 }, "green: ok, retry 2"],
  [{ outcome: "denied", executed: false }, "yellow: denied"],
  [failure, "red: ERROR E: no"],
  [{ ...failure, attempt: 2, recovered: true }, "red: ERROR E, retry 2, recovered: no"],
  [{ ...failure, executed: false, requestedTool: "sing" }, "red: ERROR E: sing"],
])("a tool's run %j is %s", (fields, words) => {
  expect(run(fields)).toBe(words);
});

it.each([
  [{ peerStatus: undefined, peerFault: "unseen" }, "magenta: no span"],
  [{ peerStatus: "OK", peerFault: "missed" }, "magenta: OK ✗ wrong"],
  [{ peerStatus: "ERROR", peerFault: undefined }, "dim: ERROR"],
] as const)("the other tracer's %j is %s", (fields, words) => {
  expect(shown(peerVerdict({ ...RUN, ...fields }, paint))).toBe(words);
});

const span = (code: 0 | 2, errorType?: string) =>
  ({ status: { code, message: "quota" }, attributes: { "error.type": errorType } }) as unknown as ReceivedSpan;
const agent = (failedToolCalls: number, unrecoveredToolCalls: number, outcome?: string) => ({
  agent: "desk",
  outcome,
  toolCalls: 5,
  failedToolCalls,
  unrecoveredToolCalls,
});

it.each([
  [span(0), agent(0, 0), "dim: UNSET"],
  [span(0), agent(2, 0), "dim: UNSET: 2 of 5 calls failed, all made good"],
  [span(0), agent(2, 1), "yellow: UNSET: 2 of 5 calls failed, 1 not made good"],
  [span(0), agent(1, 1, "cancelled"), "yellow: cancelled: 1 of 5 calls failed, 1 not made good"],
  [span(2, "RangeError"), agent(0, 0, "error"), "red: ERROR RangeError: quota"],
])("an agent's line tells its status and its failures", (received, counts, words) => {
  expect(shown(agentVerdict(received, counts, paint))).toBe(words);
});

it("a model call's line tells its tokens, where the model does", () => {
  const call = { model: "m", provider: "p", finishReasons: ["stop"], inputTokens: 7, outputTokens: 2 };
  expect(shown(modelVerdict(span(0), call, paint))).toBe("dim: UNSET: 7 tokens in, 2 out");
  expect(shown(modelVerdict(span(2), { ...call, outputTokens: undefined }, paint))).toBe("red: ERROR");
});
