/** An agent at the root ends with what was stopped in it, since a graph whose stream is left tells no end of its own. */
import { expect, it } from "vitest";
import { createAdapterRecorder } from "../../src/span/recorder.ts";
import { said } from "../support/said.ts";
import { traced } from "../support/traced.ts";

said();

const stop = () => new DOMException("stopped", "AbortError");
const wait = { name: "GraphInterrupt", is_bubble_up: true, interrupts: [] };

/** An agent with two parts open in it. */
function agentWith(parts: readonly string[], parentKey?: string) {
  const { tracerProvider, meterProvider, allSpans, points } = traced();
  const recorder = createAdapterRecorder({ tracerProvider, meterProvider });
  if (parentKey) recorder.onToolStart({ key: parentKey, name: "task" });
  recorder.onParentStart({ key: "agent", parentKey, drawing: { kind: "agent", name: "desk" } });
  for (const key of parts) recorder.onParentStart({ key, parentKey: "agent" });
  const ended = () =>
    allSpans().map(({ name, status, attributes }) => [name, status.code, attributes["toolspan.outcome"]]);
  return { recorder, ended, points };
}

it("by the stop of its last part, and the end that comes all the same is nothing new", async () => {
  const { recorder, ended, points } = agentWith(["a", "b"]);
  recorder.onParentError("a", stop());
  expect(ended()).toEqual([]);
  recorder.onParentEnd("b");
  expect(ended()).toEqual([["invoke_agent desk", 0, "cancelled"]]);
  recorder.onParentError("agent", new RangeError("late"));
  expect(ended()).toHaveLength(1);
  expect((await points("gen_ai.invoke_agent.duration")).map(({ count }) => count)).toEqual([1]);
});

it("as one that gave its turn back, where a part waits for a human", () => {
  const { recorder, ended } = agentWith(["a"]);
  recorder.onParentError("a", wait);
  expect(ended()).toEqual([["invoke_agent desk", 0, undefined]]);
});

it.each([
  ["waits and is then stopped", [wait, stop()]],
  ["is stopped and then waits", [stop(), wait]],
])("as stopped, where it %s", (_title, errors) => {
  const { recorder, ended } = agentWith(["a", "b"]);
  for (const [index, error] of errors.entries()) recorder.onParentError(["a", "b"][index]!, error);
  expect(ended()).toEqual([["invoke_agent desk", 0, "cancelled"]]);
});

it("not where a part has failed: the others were stopped for that, and its own end tells it", () => {
  const { recorder, ended } = agentWith(["a", "b"]);
  recorder.onParentError("a", new RangeError("no"));
  recorder.onParentError("b", stop());
  expect(ended()).toEqual([]);
  recorder.onParentError("agent", new RangeError("no"));
  expect(ended()).toEqual([["invoke_agent desk", 2, "error"]]);
});

it("not where all went well: more may come", () => {
  const { recorder, ended } = agentWith(["a"]);
  recorder.onParentEnd("a");
  expect(ended()).toEqual([]);
});

it("not below a tool, whose framework tells every end", () => {
  const { recorder, ended } = agentWith(["a"], "task");
  recorder.onParentError("a", stop());
  expect(ended()).toEqual([]);
  recorder.onParentError("agent", new RangeError("no"));
  expect(ended()).toEqual([["invoke_agent desk", 2, "error"]]);
});

it("as abandoned at shutdown, with what was open in it", () => {
  const { recorder, ended } = agentWith(["a"]);
  recorder.shutdown();
  expect(ended()).toEqual([["invoke_agent desk", 0, "abandoned"]]);
});
