/** Reports of class H: what runs at one time keeps apart: ends, ids, arguments, results, parents, traces. */
import { ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import type { ReadableSpan } from "@opentelemetry/sdk-trace-node";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { agentOf, ask, asks, done, makeTool, toolCall } from "../../../support/agent.ts";
import { unwatch, watched } from "../../../support/judged.ts";
import { said } from "../../../support/said.ts";
import type { Mode } from "../../../support/situations.ts";
import { sleep } from "../../../support/situations.ts";
import { failed, succeeded, useContextManager, verdict } from "../../../support/traced.ts";

beforeAll(useContextManager);
afterEach(unwatch);
said();

const modes: readonly Mode[] = ["handler", "wrap", "both"];

/** How call number n of seventeen ends, and what its span then says. */
const endings = [
  ["returns", succeeded],
  ["throws", failed("RangeError")],
  ["answers with an error", failed("tool_error")],
  ["times out", failed("timeout")],
] as const;
const endingOf = (n: number) => endings[n % endings.length]!;

/** The later a call is asked for the sooner it ends. */
const calc = () =>
  tool(
    async ({ n }: { n: number }, config) => {
      await sleep((17 - n) * 3);
      const [ending] = endingOf(n);
      if (ending === "throws") throw new RangeError(`no ${n}`);
      if (ending === "times out") throw new DOMException(`late ${n}`, "TimeoutError");
      const { id } = (config as { toolCall: { id: string } }).toolCall;
      if (ending === "answers with an error")
        return new ToolMessage({ content: `bad ${n}`, tool_call_id: id, name: "calc", status: "error" });
      return `result ${n}`;
    },
    { name: "calc", description: "d", schema: z.object({ n: z.number() }) },
  );

describe.each(modes)("with %s", (mode) => {
  it("R48: seventeen parallel calls of one tool", async () => {
    const { config, spans, counts } = watched(mode, { captureContent: true });
    const numbers = Array.from({ length: 17 }, (_, n) => n);
    const calls = numbers.map((n) => toolCall("calc", { n }, `c${n}`));
    await agentOf([calc()], {}, [asks(...calls), done]).invoke(ask, config);
    const byId = new Map(spans().map((span) => [span.attributes["gen_ai.tool.call.id"], span]));
    const seen = numbers.map((n) => {
      const { attributes, status } = byId.get(`c${n}`)!;
      return [attributes["gen_ai.tool.call.arguments"], attributes["gen_ai.tool.call.result"], status.message];
    });
    const messages = [undefined, "no", "bad", "late"];
    const wanted = numbers.map((n) => [
      `{"n":${n}}`,
      n % 4 === 0 ? `"result ${n}"` : undefined,
      n % 4 === 0 ? undefined : `${messages[n % 4]} ${n}`,
    ]);
    expect(seen).toEqual(wanted);
    expect(numbers.map((n) => verdict(byId.get(`c${n}`)))).toEqual(numbers.map((n) => endingOf(n)[1]));
    expect(spans()).toHaveLength(17);
    const total = (await counts()).reduce((sum, { count }) => sum + count, 0);
    expect(total).toBe(17);
  });

  it("R48: the two runs of the report: the second fails while the first goes on", async () => {
    const { config, spans } = watched(mode);
    let release!: () => void;
    const failedFirst = new Promise<void>((resolve) => (release = resolve));
    const both = makeTool(async ({ q }) => {
      if (q === "first") await failedFirst;
      else {
        release();
        throw new RangeError("no");
      }
      return "fine";
    });
    const calls = [toolCall("t", { q: "first" }, "c1"), toolCall("t", { q: "second" }, "c2")];
    await agentOf([both], {}, [asks(...calls), done]).invoke(ask, config);
    const seen = spans().map((span) => [span.attributes["gen_ai.tool.call.id"], verdict(span)]);
    expect(seen.toSorted()).toEqual([
      ["c1", succeeded],
      ["c2", failed("RangeError")],
    ]);
  });

  it("R52: two callers of one handler, whose parallel tools call tools, interleaved", async () => {
    const { config, allSpans, tracerProvider } = watched(mode);
    const tracer = tracerProvider.getTracer("app");
    const inner = makeTool(
      async ({ q }) => {
        await sleep(q.length);
        return q;
      },
      { name: "inner" },
    );
    const outer = makeTool(
      async ({ q }, given) => {
        for (const step of ["a", "bb", "ccc"]) {
          await inner.invoke({ q: `${q}/${step}` }, given as object);
          await sleep(1);
        }
        return q;
      },
      { name: "outer" },
    );
    await Promise.all(
      ["one", "two"].map((name) =>
        tracer.startActiveSpan(name, async (caller) => {
          const calls = ["x", "y"].map((part) => toolCall("outer", { q: `${name}/${part}` }, `${name}/${part}`));
          await agentOf([outer], { name }, [asks(...calls), done]).invoke(ask, config);
          caller.end();
        }),
      ),
    );
    const byId = new Map(allSpans().map((span) => [span.spanContext().spanId, span]));
    const parentOf = (span: ReadableSpan) => byId.get(span.parentSpanContext!.spanId)!;
    const traceOf = new Map(allSpans().map((span) => [span.name, span.spanContext().traceId]));
    const inners = allSpans().filter(({ name }) => name === "execute_tool inner");
    expect(inners).toHaveLength(12);
    const perCall = new Map<unknown, number>();
    for (const span of inners) {
      const caller = parentOf(span);
      const id = String(caller.attributes["gen_ai.tool.call.id"]);
      expect(caller.name).toBe("execute_tool outer");
      expect(span.spanContext().traceId).toBe(traceOf.get(id.split("/")[0]!));
      perCall.set(id, (perCall.get(id) ?? 0) + 1);
    }
    expect(Object.fromEntries(perCall)).toEqual({ "one/x": 3, "one/y": 3, "two/x": 3, "two/y": 3 });
    expect(new Set([traceOf.get("one"), traceOf.get("two")]).size).toBe(2);
  });
});
