/** What the wrap of the call sees and no callback tells. */
import { DynamicStructuredTool, tool } from "@langchain/core/tools";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { agentOf, answer, ask, isLangChain1, makeTool, toolCall } from "../../support/agent.ts";
import { unwatch, watched } from "../../support/judged.ts";
import type { Mode } from "../../support/situations.ts";
import { ClassTool, settle, sleep } from "../../support/situations.ts";
import { failed, succeeded, unfailed, useContextManager, verdict } from "../../support/traced.ts";

beforeAll(useContextManager);
afterEach(unwatch);

const modes: readonly Mode[] = ["wrap", "both"];

describe.each(modes)("with %s, seen", (mode) => {
  it("refused arguments: a span without duration, not executed, in its caller's place", async () => {
    const { config, onlySpan, counts } = watched(mode);
    const error: unknown = await makeTool(() => "x")
      .invoke(toolCall("t", { bad: 1 }, "call_9"), config)
      .catch((thrown: unknown) => thrown);
    expect((error as Error).constructor.name).toBe("ToolInputParsingException");
    expect(verdict(onlySpan())).toEqual(failed("invalid_arguments"));
    expect(onlySpan().attributes).toMatchObject({
      "toolspan.executed": false,
      "gen_ai.tool.call.id": "call_9",
      "gen_ai.tool.name": "t",
    });
    expect((await counts()).map(({ count }) => count)).toEqual([1]);
  });

  it.each([
    ["a pair that is none", "content_and_artifact", () => ["only one"]],
    [
      "an answer that cannot be made a text",
      "content",
      () => Object.assign(Object.create(null) as object, { big: 1n }),
    ],
  ])("a result of a wrong shape: %s", async (_title, responseFormat, body) => {
    const { config, onlySpan, failures } = watched(mode);
    await settle(() => makeTool(body, { responseFormat }).invoke(toolCall("t"), config));
    expect(verdict(onlySpan())).toEqual(failed("invalid_result"));
    expect(await failures()).toBe(1);
  });

  it.skipIf(!isLangChain1).each([
    [
      "a cycle",
      () => {
        const args: Record<string, unknown> = { q: "x" };
        args["self"] = args;
        return args;
      },
    ],
    ["a BigInt", () => ({ q: "x", n: 1n })],
  ])("a call whose input LangChain cannot write down: %s", async (_title, input) => {
    const { config, onlySpan } = watched(mode);
    const one = tool(() => sleep(15), { name: "t", description: "d", schema: { type: "object", properties: {} } });
    await one.invoke(toolCall("t", input()), config);
    expect(verdict(onlySpan())).toEqual(succeeded);
    const [seconds, nanoseconds] = onlySpan().duration;
    expect(seconds * 1000 + nanoseconds / 1e6).toBeGreaterThan(10);
  });

  it("the tool's name and description, also where a run or a class has another name", async () => {
    const { config, spans } = watched(mode);
    await new ClassTool().invoke({ q: "x" }, config);
    await makeTool(() => "x").invoke({ q: "x" }, { ...config, runName: "step 7" });
    expect(
      spans().map(({ name, attributes }) => [
        name,
        attributes["gen_ai.tool.name"],
        attributes["gen_ai.tool.description"],
      ]),
    ).toEqual([
      ["execute_tool class_tool", "class_tool", "d"],
      ["execute_tool t", "t", "d"],
    ]);
  });

  const mcpFailure = { isError: true, content: [{ type: "text", text: "no" }] };
  it.each([
    ["a list with a failed message", "content", () => [answer("error")], "tool_error"],
    ["an MCP result, which LangChain makes a text of", "content", () => mcpFailure, "tool_error"],
    ["an artifact that is a failed MCP result", "content_and_artifact", () => ["no", mcpFailure], "tool_error"],
  ])("the status of a raw result: %s", async (_title, responseFormat, body, type) => {
    const { config, onlySpan, failures } = watched(mode);
    const result = (await makeTool(body, { responseFormat }).invoke(toolCall("t"), config)) as { status: string };
    expect(result.status).toBe("success");
    expect(verdict(onlySpan())).toEqual(failed(type));
    expect(await failures()).toBe(1);
  });

  it("the status of a raw result in an agent, whose model is told of a success that was none", async () => {
    const { config, onlySpan, allSpans } = watched(mode);
    await agentOf([makeTool(() => mcpFailure)]).invoke(ask, config);
    expect(verdict(onlySpan())).toEqual(failed("tool_error"));
    expect(onlySpan().attributes["toolspan.recovered"]).toBeUndefined();
    const agent = allSpans().find(({ name }) => name === "invoke_agent");
    expect(agent?.attributes["toolspan.unrecovered_tool_calls"]).toBe(mode === "both" ? 1 : undefined);
  });

  it("nothing in a list of found messages: they are data", async () => {
    const { config, onlySpan } = watched(mode);
    await makeTool(() => ["two messages", [answer("error")]], { responseFormat: "content_and_artifact" }).invoke(
      toolCall("t"),
      config,
    );
    expect(verdict(onlySpan())).toEqual(succeeded);
  });

  const stopped = (reason?: unknown) => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(reason), 10);
    return controller.signal;
  };
  const waiting = () => makeTool(() => sleep(200));
  /** The MCP adapter puts a client's AbortError into words of its own. */
  const rewording = () =>
    new DynamicStructuredTool({
      name: "t",
      description: "d",
      schema: { type: "object", properties: {} },
      async func(_input, _manager, config) {
        await sleep(30);
        throw new Error(`Error calling tool t: ${String(config?.signal?.reason)}`);
      },
    });
  const stopping = () => makeTool(() => Promise.reject(new DOMException("own", "AbortError")));
  it.skipIf(!isLangChain1).each([
    ["the caller's stop, by a text", waiting, () => stopped("user left"), unfailed("cancelled")],
    ["the caller's stop, in the words of another error", rewording, () => stopped(), unfailed("cancelled")],
    ["a deadline", waiting, () => AbortSignal.timeout(10), failed("timeout")],
    ["the tool's own stop", stopping, () => new AbortController().signal, failed("AbortError")],
  ])("the signal: %s", async (_title, make, signal, wanted) => {
    const { config, onlySpan } = watched(mode);
    const one = make() as { invoke(input: unknown, config: object): Promise<unknown> };
    await settle(() => one.invoke(toolCall("t"), { ...config, signal: signal() }));
    expect(verdict(onlySpan())).toEqual(wanted);
  });
});
