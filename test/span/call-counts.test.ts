import { ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import type { RecorderOptions } from "../../src/index.ts";
import { storeOf } from "../../src/span/registry.ts";
import type { Settler } from "../../src/span/registry.ts";
import { said } from "../support/said.ts";
import { watchedAdapter } from "../support/watched.ts";

said();

/** An agent whose runs are counted. */
function agent(settler?: Settler, options: RecorderOptions = {}) {
  const test = watchedAdapter(options, settler);
  test.recorder.onParentStart({ key: "agent", drawing: { kind: "agent", name: "desk" } });
  const counts = () => storeOf(test.tracerProvider).scopes.get("agent")!.tally!.counts();
  return { ...test, counts };
}
const answer = (id: string) => new ToolMessage({ content: "", tool_call_id: id, name: "t" });

describe("an agent counts calls, not runs", () => {
  it("by the call's id, told by the start or by the answer, else by the run", () => {
    const { recorder, counts } = agent();
    const run = (key: string, callId: string | undefined, value: unknown, attempt?: number) => {
      recorder.onToolStart({ key, name: "t", callId, isStandIn: attempt === 2, attempt, parentKey: "agent" });
      recorder.onToolEnd(key, value);
    };
    run("r1", "c1", "fine");
    run("r2", "c1", answer("c1"), 2);
    run("r3", undefined, answer("c2"));
    run("r4", "", answer("c2"), 2);
    expect(counts().toolCalls).toBe(2);
    run("r5", undefined, "fine");
    run("r6", undefined, "fine");
    expect(counts().toolCalls).toBe(4);
  });

  it("a failed run whose call came back well has not failed, and makes good for an earlier call", () => {
    const settler: Settler = (runs) =>
      runs.map(({ call, judged }) => (call.callId === "c2" ? { outcome: judged!, isRecovered: true } : undefined));
    const { recorder, counts } = agent(settler);
    for (const callId of ["c1", "c2"]) {
      recorder.onParentStart({ key: "node", parentKey: "agent" });
      recorder.onToolStart({ key: callId, name: "t", callId, parentKey: "node" });
      recorder.hold(callId, { kind: "threw", error: new Error("no") });
      recorder.onParentEnd("node");
    }
    expect(counts()).toMatchObject({ toolCalls: 2, failedToolCalls: 1, unrecoveredToolCalls: 0 });
  });

  it("and its model calls; one outside of an agent is nobody's", () => {
    const { recorder, counts, allSpans } = agent();
    recorder.onParentStart({ key: "node", parentKey: "agent" });
    expect(counts().inferenceCalls).toBe(0);
    for (const [key, parentKey] of [
      ["m1", "node"],
      ["m2", undefined],
    ] as const)
      recorder.onParentStart({ key, parentKey, drawing: { kind: "chat" } });
    recorder.onParentStart({ key: "sub", parentKey: "node", drawing: { kind: "agent" } });
    expect(counts().inferenceCalls).toBe(1);
    recorder.onParentEnd("m2");
    expect(allSpans().map(({ name }) => name)).toEqual(["chat"]);
  });
});
