/** The tool's span is active inside the tool, of every kind, and nowhere else. */
import { DynamicStructuredTool, DynamicTool, StructuredTool, tool } from "@langchain/core/tools";
import { context, trace } from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace-node";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { isLangChain1, makeTool, mcpTools, schema, toolCall } from "../../support/agent.ts";
import { unwatch, watched } from "../../support/judged.ts";
import type { Mode } from "../../support/situations.ts";
import { ClassTool, sleep } from "../../support/situations.ts";
import { useContextManager } from "../../support/traced.ts";

beforeAll(useContextManager);
afterEach(unwatch);

const modes: readonly Mode[] = ["wrap", "both"];
const jsonSchema = { type: "object", properties: { q: { type: "string" } }, required: ["q"] } as const;
const activeId = () => trace.getSpan(context.active())?.spanContext().spanId;
const byName = (spans: readonly ReadableSpan[], name: string) => spans.find((span) => span.name === name)!;

describe.each(modes)("with %s, the span is active inside", (mode) => {
  const body = async () => {
    const before = activeId();
    await sleep(1);
    return `${before} ${activeId()}`;
  };
  it.each([
    ["a zod tool", () => tool(body, { name: "t", description: "d", schema })],
    ["a JSON schema tool", () => tool(body, { name: "t", description: "d", schema: jsonSchema })],
    ["a text tool", () => tool(body, { name: "t", description: "d", schema: z.string() })],
    [
      "a tool as the MCP adapter makes it",
      () => new DynamicStructuredTool({ name: "t", description: "d", schema: jsonSchema, func: body }),
    ],
    [
      "a class tool",
      () =>
        new (class extends ClassTool {
          override name = "t";
          override _call = body;
        })(),
    ],
    ["a class tool with private members", () => new PrivateTool(body)],
  ])("%s, two at a time, and in no caller", async (_title, make) => {
    const { seen, wanted } = await twoCalls(make());
    expect(seen).toEqual(wanted);
  });

  it.skipIf(!isLangChain1)("a generator tool, each step of it, two at a time", async () => {
    const steps = async function* (): AsyncGenerator<string, string> {
      const before = activeId();
      yield "part";
      await sleep(1);
      return `${before} ${activeId()}`;
    };
    const { seen, wanted } = await twoCalls(tool(steps, { name: "t", description: "d", schema }));
    expect(seen).toEqual(wanted);
  });

  /** The spans that were active in each of two calls at one time, early and late, and in their caller; and those wanted. */
  async function twoCalls(subject: unknown): Promise<Record<"seen" | "wanted", object>> {
    const { config, spans } = watched(mode);
    const one = subject as { invoke(input: unknown, config: object): Promise<string> };
    const input = one instanceof DynamicTool ? "x" : { q: "x" };
    const first = one.invoke(input, config);
    const between = activeId();
    const results = await Promise.all([first, one.invoke(input, config)]);
    const ids = spans().map((span) => span.spanContext().spanId);
    return {
      seen: { inside: results.toSorted(), between, after: activeId(), names: spans().map(({ name }) => name) },
      wanted: {
        inside: ids.map((id) => `${id} ${id}`).toSorted(),
        between: undefined,
        after: undefined,
        names: ["execute_tool t", "execute_tool t"],
      },
    };
  }

  it("an MCP tool, whose client's spans nest", async () => {
    const { config, spans, tracerProvider } = watched(mode);
    const mcp = (await mcpTools()).find(({ name }) => name === "ok")!;
    const original = mcp.func;
    mcp.func = (...args) => {
      tracerProvider.getTracer("mcp").startSpan("tools/call ok").end();
      return original(...args);
    };
    await mcp.invoke(toolCall("ok"), config);
    const outer = byName(spans(), "execute_tool ok");
    expect(byName(spans(), "tools/call ok").parentSpanContext?.spanId).toBe(outer.spanContext().spanId);
  });

  it("a tool in a tool, each in the other's span", async () => {
    const { config, spans } = watched(mode);
    const inner = makeTool(() => "inner", { name: "inner" });
    const outer = makeTool((input, given) => inner.invoke(input, given as object), { name: "outer" });
    await outer.invoke(toolCall("outer"), config);
    const [first, second] = [byName(spans(), "execute_tool inner"), byName(spans(), "execute_tool outer")];
    expect(first.parentSpanContext?.spanId).toBe(second.spanContext().spanId);
    expect(spans()).toHaveLength(2);
  });
});

class PrivateTool extends StructuredTool {
  name = "t";
  description = "d";
  readonly #schema = schema;
  readonly #body: () => Promise<string>;
  constructor(body: () => Promise<string>) {
    super();
    this.#body = body;
  }
  get schema() {
    return this.#schema;
  }
  override toJSON() {
    void this.#body;
    return super.toJSON();
  }
  _call(): Promise<string> {
    return this.#body();
  }
}
