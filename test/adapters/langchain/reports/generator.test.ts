/** R45: tools and agents that a generator tool starts between its chunks all hang below it. */
import { tool } from "@langchain/core/tools";
import { context, trace } from "@opentelemetry/api";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { agentOf, ask, asks, done, makeTool, schema, toolCall } from "../../../support/agent.ts";
import { unwatch, watched } from "../../../support/judged.ts";
import { said } from "../../../support/said.ts";
import type { Mode } from "../../../support/situations.ts";
import { settle } from "../../../support/situations.ts";
import { pathsOf } from "../../../support/span-tree.ts";
import { failed, succeeded, unfailed, useContextManager, verdict } from "../../../support/traced.ts";

beforeAll(useContextManager);
afterEach(unwatch);
said();

const modes: readonly Mode[] = ["handler", "wrap", "both"];
const parts = [1, 2, 3];
const gen = { name: "gen", description: "d", schema };
const innerTool = (part: number) => makeTool(() => `part ${part}`, { name: `inner${part}` });
const desk = (one: unknown) => agentOf([one], { name: "desk" }, [asks(toolCall("gen", { q: "x" }, "c1")), done]);

/** A generator tool that starts an inner tool after each chunk. */
const generator = (isHandingOn: boolean) =>
  tool(async function* (input: { q: string }, config) {
    for (const part of parts) {
      yield `chunk ${part}`;
      await innerTool(part).invoke(input, isHandingOn ? config : undefined);
    }
    return "whole";
  }, gen);

describe.each(modes)("with %s", (mode) => {
  it.each([
    ["called by the application", true, false],
    ["called by the application", false, false],
    ["in an agent", true, true],
    ["in an agent", false, true],
  ])("R45: %s, handing its config on: %s", async (_title, isHandingOn, isInAgent) => {
    const { config, allSpans, spans, counts } = watched(mode);
    const one = generator(isHandingOn);
    await (isInAgent ? desk(one).invoke(ask, config) : one.invoke({ q: "x" }, config));
    const agent = isInAgent && mode !== "wrap" ? "invoke_agent desk > " : "";
    // Without the config a handler knows the node that the generator is in, or nothing at all.
    const isKnown = isHandingOn || mode !== "handler";
    const isTold = isKnown || isInAgent;
    const inner = parts.map((part) => `${agent}${isKnown ? "execute_tool gen > " : ""}execute_tool inner${part}`);
    expect(pathsOf(allSpans()).filter((path) => path.includes("execute_tool"))).toEqual(
      expect.arrayContaining([...(isTold ? inner : []), `${agent}execute_tool gen`]),
    );
    expect(spans().map(verdict)).toEqual(spans().map(() => succeeded));
    expect(spans()).toHaveLength(isTold ? 4 : 1);
    expect((await counts()).map(({ count }) => count)).toEqual(spans().map(() => 1));
  });

  it("R45: sub-agents in a generator, one after each chunk", async () => {
    const { config, allSpans } = watched(mode);
    const sub = (part: number) => agentOf([makeTool(() => "found")], { name: `sub${part}` });
    const streaming = tool(async function* () {
      for (const part of parts) {
        yield `chunk ${part}`;
        await sub(part).invoke(ask);
      }
    }, gen);
    await desk(streaming).invoke(ask, config);
    const seen = pathsOf(allSpans()).filter((path) => path.endsWith("execute_tool t"));
    const wanted = {
      handler: parts.map((part) => `invoke_agent desk > invoke_agent sub${part} > execute_tool t`),
      wrap: parts.map(() => "execute_tool gen > execute_tool t"),
      both: parts.map((part) => `invoke_agent desk > execute_tool gen > invoke_agent sub${part} > execute_tool t`),
    };
    expect(seen).toEqual(wanted[mode]);
  });

  it("R45: two generators at one time, and what their caller starts, keep apart", async () => {
    const { config, allSpans, tracerProvider } = watched(mode);
    const tracer = tracerProvider.getTracer("tool");
    const named = (name: string) =>
      tool(
        async function* () {
          for (const part of parts) {
            yield `chunk ${part}`;
            tracer.startSpan(`${name} ${part}`).end();
          }
        },
        { ...gen, name },
      );
    const both = [named("one").invoke({ q: "x" }, config), named("two").invoke({ q: "x" }, config)];
    tracer.startSpan("outside").end();
    await Promise.all(both);
    const under = (name: string) =>
      parts.map((part) => `${mode === "handler" ? "" : `execute_tool ${name} > `}${name} ${part}`);
    expect(pathsOf(allSpans()).toSorted()).toEqual(
      ["outside", "execute_tool one", "execute_tool two", ...under("one"), ...under("two")].toSorted(),
    );
    expect(trace.getSpan(context.active())).toBeUndefined();
  });

  it.each([
    ["throws after a chunk", new RangeError("no"), failed("RangeError")],
    ["is interrupted after a chunk", { name: "GraphInterrupt", is_bubble_up: true }, unfailed("interrupted")],
  ])("R45: one that %s", async (_title, thrown, wanted) => {
    const { config, spans } = watched(mode);
    const failing = tool(async function* (input: { q: string }, given) {
      yield "chunk";
      await innerTool(1).invoke(input, given);
      throw thrown;
    }, gen);
    await settle(() => failing.invoke({ q: "x" }, config));
    expect(spans().map((span) => [span.name, verdict(span)])).toEqual([
      ["execute_tool inner1", succeeded],
      ["execute_tool gen", wanted],
    ]);
  });
});
