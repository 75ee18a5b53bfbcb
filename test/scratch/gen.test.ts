import { it, beforeAll, afterEach } from "vitest";
import { writeSync } from "node:fs";
import { AIMessageChunk } from "@langchain/core/messages";
import { ChatGenerationChunk } from "@langchain/core/outputs";
import { agentOf, ask, ScriptedModel, done, makeTool } from "../support/agent.ts";
import { unwatch, watched } from "../support/judged.ts";
import { settle, sleep } from "../support/situations.ts";
import { useContextManager, verdict } from "../support/traced.ts";
beforeAll(useContextManager);
afterEach(unwatch);
const log = (...a: unknown[]) =>
  writeSync(1, a.map((x) => (typeof x === "string" ? x : JSON.stringify(x))).join(" ") + "\n");
class Streaming extends ScriptedModel {
  override async *_streamResponseChunks(_m: any, options: any, run: any): AsyncGenerator<ChatGenerationChunk> {
    for (const text of ["a", "b", "c", "d"]) {
      yield new ChatGenerationChunk({ text, message: new AIMessageChunk(text) });
      await run?.handleLLMNewToken(text);
      if (this.heeds) options.signal?.throwIfAborted();
      await sleep(30);
    }
  }
  heeds = false;
}
const rec = {
  name: "rec",
  awaitHandlers: true,
  ...Object.fromEntries(
    ["LLMEnd", "LLMError", "ChainStart", "ChainEnd", "ChainError"].map((n) => [
      "handle" + n,
      (...a: any[]) => log(n, n.endsWith("Start") ? [a[7]] : [a[1]], n.endsWith("Error") ? String(a[0]) : ""),
    ]),
  ),
};
for (const heeds of [false, true])
  for (const how of ["messages", "both", "events"])
    it("x ", async () => {
      const w = watched("handler");
      log("=====", how, heeds as any);
      const model = new Streaming([done]);
      model.heeds = heeds;
      const agent = agentOf([makeTool(() => "x")], { model });
      const config = { callbacks: [...(w.config.callbacks ?? []), rec] } as any;
      await settle(async () => {
        if (how !== "events")
          for await (const _ of await agent.stream(ask, {
            ...config,
            streamMode: how === "both" ? ["messages", "updates", "values"] : how,
          } as never)) {
            if (how === "messages" || _[0] === "messages") break;
          }
        else
          for await (const { event } of agent.streamEvents(ask, { ...config, version: "v2" }) as any)
            if (event === "on_chat_model_stream") break;
      });
      log("left");
      await sleep(500);
      for (const s of w.allSpans()) log(s.name, verdict(s) as any);
      log("started", w.started.length as any, "ended", w.allSpans().length as any);
    });
