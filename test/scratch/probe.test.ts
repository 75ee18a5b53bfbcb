import { it, beforeAll, afterEach } from "vitest";
import { writeSync } from "node:fs";
import { AIMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { interrupt, MemorySaver } from "@langchain/langgraph";
import { createDeepAgent } from "deepagents";
import { toolRetryMiddleware } from "langchain";
import { context, trace } from "@opentelemetry/api";
import {
  agentOf,
  ask,
  asks,
  done,
  fails,
  makeTool,
  schema,
  ScriptedModel,
  OfferingModel,
  toolCall,
} from "../support/agent.ts";
import { unwatch, watched } from "../support/judged.ts";
import { ClassTool, settle, sleep } from "../support/situations.ts";
import { useContextManager } from "../support/traced.ts";
beforeAll(useContextManager);
afterEach(unwatch);
const log = (...a: unknown[]) =>
  writeSync(1, a.map((x) => (typeof x === "string" ? x : JSON.stringify(x))).join(" ") + "\n");
function tree(w: any) {
  const all = w.allSpans();
  const kids = (id: string | undefined) => all.filter((s: any) => s.parentSpanContext?.spanId === id);
  const ids = new Set(all.map((s: any) => s.spanContext().spanId));
  const roots = all.filter((s: any) => !ids.has(s.parentSpanContext?.spanId));
  const show = (s: any, d: number) => {
    log(
      "  ".repeat(d + 1) + s.name,
      s.attributes["gen_ai.tool.call.id"] ?? "",
      s.attributes["toolspan.outcome"] ?? "",
      s.attributes["error.type"] ?? "",
      s.attributes["toolspan.executed"] ?? "",
      s.attributes["toolspan.tool_calls"] !== undefined
        ? [
            s.attributes["toolspan.tool_calls"],
            s.attributes["toolspan.failed_tool_calls"],
            s.attributes["toolspan.unrecovered_tool_calls"],
          ]
        : "",
      s.parentSpanContext && !ids.has(s.parentSpanContext.spanId) ? "(UNKNOWN PARENT)" : "",
    );
    for (const k of kids(s.spanContext().spanId)) show(k, d + 1);
  };
  for (const r of roots) show(r, 0);
  log("  started", w.started.length, "ended", all.length);
}
const call = (id: string, name = "t") => toolCall(name, { q: "x" }, id);
const subs = (config: object | undefined) => {
  const sub = agentOf([makeTool(() => "inner", { name: "inner" })], { name: "sub" }, [asks(call("i1", "inner")), done]);
  return async () => (await sub.invoke(ask, config as any)).messages.length;
};
class ClassTask extends ClassTool {
  override name = "task";
  body!: () => Promise<unknown>;
  override async _call() {
    return String(await this.body());
  }
}
const cases: Record<string, (c: any, w: any) => Promise<unknown>> = {
  "stream left": async (c) => {
    for await (const _ of await agentOf([makeTool(() => "x")]).stream(ask, { ...c, streamMode: "updates" })) break;
    await sleep(50);
  },
  "stream left inside slow tool": async (c) => {
    for await (const x of await agentOf([
      makeTool(async (_, c2: any) => {
        c2.writer?.("hi");
        await sleep(30);
        return "x";
      }),
    ]).stream(ask, { ...c, streamMode: ["custom", "updates"] })) {
      log(x as any);
      if ((x as any)[0] === "custom") break;
    }
    await sleep(100);
  },
  "streamEvents left": async (c) => {
    for await (const x of agentOf([
      makeTool(async () => {
        await sleep(30);
        return "x";
      }),
    ]).streamEvents(ask, { ...c, version: "v2" })) {
      if (x.event === "on_tool_start") break;
    }
    await sleep(100);
  },
  "stream suspended": async (c) => {
    for await (const _ of await agentOf([makeTool(() => interrupt("?"))], { checkpointer: new MemorySaver() }).stream(
      ask,
      { ...c, configurable: { thread_id: "1" } },
    ));
  },
  "stream aborted": async (c) => {
    const ac = new AbortController();
    setTimeout(() => ac.abort(), 20);
    for await (const _ of await agentOf([makeTool(() => sleep(300))]).stream(ask, { ...c, signal: ac.signal }));
  },
  "hang and shutdown": async (c, w) => {
    void agentOf([makeTool(() => new Promise(() => {}))]).invoke(ask, c);
    await sleep(50);
    w.finish();
  },
  "sub, not forwarded": async (c) =>
    agentOf([makeTool(subs(undefined), { name: "task" })], { name: "main" }, [asks(call("c1", "task")), done]).invoke(
      ask,
      c,
    ),
  "sub, callbacks []": async (c) =>
    agentOf([makeTool(subs({ callbacks: [] }), { name: "task" })], { name: "main" }, [
      asks(call("c1", "task")),
      done,
    ]).invoke(ask, c),
  "sub, own handler": async (c) =>
    agentOf([makeTool(subs({ callbacks: c.callbacks ?? [] }), { name: "task" })], { name: "main" }, [
      asks(call("c1", "task")),
      done,
    ]).invoke(ask, c),
  "class sub, not forwarded": async (c) => {
    const t = new ClassTask();
    t.body = subs(undefined);
    return agentOf([t], { name: "main" }, [asks(call("c1", "task")), done]).invoke(ask, c);
  },
  generator: async (c) => {
    const inner = (n: number) => makeTool(() => "i", { name: `inner${n}` });
    const g = tool(
      async function* () {
        for (const n of [1, 2, 3]) {
          yield `part ${n}`;
          await inner(n).invoke({ q: "x" });
        }
        return "whole";
      },
      { name: "gen", description: "d", schema },
    );
    return agentOf([g], {}, [asks(call("c1", "gen")), done]).invoke(ask, c);
  },
  "generator config": async (c) => {
    const inner = (n: number) => makeTool(() => "i", { name: `inner${n}` });
    const g = tool(
      async function* (_: any, cfg: any) {
        for (const n of [1, 2, 3]) {
          yield `part ${n}`;
          await inner(n).invoke({ q: "x" }, cfg);
        }
        return "whole";
      },
      { name: "gen", description: "d", schema },
    );
    return agentOf([g], {}, [asks(call("c1", "gen")), done]).invoke(ask, c);
  },
  "retry bad args": (c) =>
    agentOf(
      [makeTool(() => "x")],
      { middleware: [toolRetryMiddleware({ maxRetries: 1, initialDelayMs: 1, jitter: false })] },
      [asks(toolCall("t", { bad: 1 })), done],
    ).invoke(ask, c),
  "inner fails, outer copes": (c) =>
    agentOf(
      [
        makeTool(
          () =>
            fails()
              .invoke({ q: "x" })
              .catch(() => "coped"),
          { name: "outer" },
        ),
      ],
      {},
      [asks(call("c1", "outer")), done],
    ).invoke(ask, c),
  deep: (c) =>
    createDeepAgent({
      model: new ScriptedModel([
        asks(toolCall("task", { description: "do", subagent_type: "general-purpose" })),
        asks(call("i1")),
        new AIMessage("sub result"),
        asks(
          toolCall("write_file", { file_path: "/a.txt", content: "x" }, "c2"),
          toolCall("read_file", { file_path: 5 } as any, "c3"),
        ),
        done,
      ]),
      tools: [makeTool(() => "fine")],
    } as any).invoke(ask as any, c),
};
for (const [name, run] of Object.entries(cases))
  for (const mode of ["handler", "wrap", "both"] as const)
    it(`${name} ${mode}`, async () => {
      const w = watched(mode);
      log(`== ${name} [${mode}]`);
      await settle(() => run(w.config, w));
      tree(w);
      const cs = await w.counts();
      log(
        "  counts",
        cs.map((x) => [x.attributes["gen_ai.tool.name"], x.attributes["toolspan.outcome"], x.count]),
      );
    });
