/** Tools that end as the model's own arguments say, so that a script of calls decides all that happens in an agent. */
import { ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Command } from "@langchain/langgraph";
import { z } from "zod";
import { toolCall } from "./agent.ts";
import { sleep } from "./situations.ts";

/** "flaky" fails as often as the number behind it says, and then returns. */
export type How =
  | "returns"
  | "throws"
  | "answers an error"
  | "commands an error"
  | "times out"
  | "flaky 1"
  | "flaky 2"
  | "refused";

const schema = z.object({ how: z.string() });

/** @param delay how long each run takes, in milliseconds */
export function scripted(name: string, delay = 0) {
  const runs = new Map<string, number>();
  return tool(
    async ({ how }: { how: string }, config) => {
      const { id } = (config as { toolCall: { id: string } }).toolCall;
      const run = (runs.get(id) ?? 0) + 1;
      runs.set(id, run);
      await sleep(delay);
      const failure = new ToolMessage({ content: "no", tool_call_id: id, name, status: "error" });
      if (how === "throws" || run <= flakyRuns(how)) throw new RangeError("no");
      if (how === "times out") throw new DOMException("late", "TimeoutError");
      if (how === "answers an error") return failure;
      if (how === "commands an error") return new Command({ update: { messages: [failure] } });
      return "fine";
    },
    { name, description: "d", schema },
  );
}

export function flakyRuns(how: string): number {
  return how.startsWith("flaky ") ? Number(how.slice(6)) : 0;
}

/** The model's call of such a tool. */
export function scriptedCall(name: string, how: How, id: string): ReturnType<typeof toolCall> {
  return toolCall(name, how === "refused" ? { wrong: how } : { how }, id);
}
