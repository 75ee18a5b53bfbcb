/** What an agent itself asked for: not what its tools ask in turn. */
import { expect, it, vi } from "vitest";
import { createAdapterRecorder } from "../../src/span/recorder.ts";
import { useFakeClock } from "../support/fake-clock.ts";
import { said } from "../support/said.ts";
import { talliesOf } from "../support/tallies.ts";
import { traced } from "../support/traced.ts";

useFakeClock();
said();

function agentOpen() {
  const { tracerProvider, meterProvider, allSpans } = traced();
  const recorder = createAdapterRecorder({ tracerProvider, meterProvider });
  recorder.onParentStart({ key: "agent", drawing: { kind: "agent" } });
  let key = 0;
  const model = (parentKey: string): void => {
    const chat = `chat ${key++}`;
    vi.advanceTimersByTime(1);
    recorder.onParentStart({ key: chat, parentKey, drawing: { kind: "chat" } });
    recorder.onParentEnd(chat);
    vi.advanceTimersByTime(1);
  };
  const fails = (parentKey = "agent"): void => {
    recorder.onToolStart({ key: `tool ${key}`, name: "search", parentKey });
    recorder.onToolError(`tool ${key++}`, new RangeError("no"));
  };
  const succeeds = (): void => {
    recorder.onToolStart({ key: `tool ${key}`, name: "search", parentKey: "agent" });
    recorder.onToolEnd(`tool ${key++}`, "found");
  };
  const tally = (): unknown => {
    recorder.onParentEnd("agent");
    return talliesOf(allSpans());
  };
  return { recorder, model, fails, succeeds, tally };
}

it("a call that a tool makes is none of the agent's", () => {
  const { recorder, fails, tally } = agentOpen();
  recorder.onToolStart({ key: "task", name: "task", parentKey: "agent" });
  recorder.onParentStart({ key: "chain", parentKey: "task" });
  fails("chain");
  recorder.onParentEnd("chain");
  recorder.onToolEnd("task", "coped");
  expect(tally()).toEqual([[1, 0, 0]]);
});

it("a model that the agent asks again makes the next call a later one", () => {
  const { model, fails, succeeds, tally } = agentOpen();
  model("agent");
  fails();
  model("agent");
  succeeds();
  expect(tally()).toEqual([[2, 1, 0]]);
});

it("a model that a tool asks meanwhile does not", () => {
  const { recorder, model, fails, succeeds, tally } = agentOpen();
  model("agent");
  fails();
  recorder.onToolStart({ key: "task", name: "task", parentKey: "agent" });
  model("task");
  succeeds();
  recorder.onToolEnd("task", "done");
  expect(tally()).toEqual([[3, 1, 1]]);
});
