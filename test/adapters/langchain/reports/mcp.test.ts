/** Reports of class B with LangChain: an MCP tool's failure is a failure, in whichever of its shapes it comes. */
import { ToolMessage } from "@langchain/core/messages";
import { McpError } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { agentOf, answer, ask, asks, done, makeTool, toolCall } from "../../../support/agent.ts";
import { unwatch, watched } from "../../../support/judged.ts";
import { mcpSetting, text } from "../../../support/mcp-server.ts";
import { said } from "../../../support/said.ts";
import type { Mode } from "../../../support/situations.ts";
import { settle } from "../../../support/situations.ts";
import { failed, succeeded, useContextManager, verdict } from "../../../support/traced.ts";

beforeAll(useContextManager);
afterEach(unwatch);
said();

const modes: readonly Mode[] = ["handler", "wrap", "both"];
const call = (name: string, id: string) => toolCall(name, { q: "x" }, id);
const image = { type: "image", data: "aGk=", mimeType: "image/png" };
const of = (words: string) => ({ type: "text", text: words });

describe.each(modes)("with %s", (mode) => {
  it("R09: a JSON-RPC error", async () => {
    const { config, onlySpan, failures } = watched(mode);
    const { tools } = await mcpSetting({
      broken: () => {
        throw new McpError(-32000, "bad");
      },
    });
    await agentOf([tools["broken"]], {}, [asks(call("broken", "c1")), done]).invoke(ask, config);
    // The adapter makes an error of its own of it and keeps neither code nor cause.
    expect(verdict(onlySpan())).toEqual(failed("ToolException"));
    expect(onlySpan().status.message).toMatch(/MCP error -32000: .*bad/);
    expect(await failures()).toBe(1);
  });

  it.each<[string, unknown, RegExp]>([
    ["texts around an image", { isError: true, content: [of("A"), image, of("B")] }, /A.*B/],
    ["no content", { isError: true }, /./],
    ["content that is null", { isError: true, content: null }, /./],
    ["a block without a text", { isError: true, content: [image] }, /./],
  ])("R11: isError with %s", async (_title, result, words) => {
    const { config, onlySpan, failures } = watched(mode);
    const { tools } = await mcpSetting({ broken: () => result });
    await settle(() => tools["broken"]!.invoke(call("broken", "c1"), config));
    expect(verdict(onlySpan())).toEqual(failed("ToolException"));
    expect(onlySpan().status.message).toMatch(words);
    expect(await failures()).toBe(1);
  });

  it("R12: a tool that answers with an error, and an MCP tool with isError, in one agent", async () => {
    const { config, spans, counts } = watched(mode);
    const { tools } = await mcpSetting({
      remote: () => ({ isError: true, ...text("upstream 503") }),
      fine: () => text("hi"),
    });
    const shell = makeTool((_, given) => answer("error", given), { name: "shell" });
    const calls = [call("shell", "c1"), call("remote", "c2"), call("fine", "c3")];
    await agentOf([shell, tools["remote"], tools["fine"]], {}, [asks(...calls), done]).invoke(ask, config);
    const seen = Object.fromEntries(spans().map((span) => [span.attributes["gen_ai.tool.name"], verdict(span)]));
    expect(seen).toEqual({ shell: failed("tool_error"), remote: failed("ToolException"), fine: succeeded });
    const failing = (await counts()).filter(({ attributes }) => "error.type" in attributes);
    expect(failing.map(({ attributes, count }) => [attributes["gen_ai.tool.name"], count]).toSorted()).toEqual([
      ["remote", 1],
      ["shell", 1],
    ]);
  });

  it.each<[string, unknown, string]>([
    ["no artifact", null, "tool_error"],
    ["a code in its structured content", { structuredContent: { code: "RATE_LIMITED" } }, "RATE_LIMITED"],
    ["a sentence for a code", { structuredContent: { code: "try again in 5 s" } }, "tool_error"],
  ])("R14: a failed answer with %s", async (_title, artifact, type) => {
    const { config, onlySpan, failures } = watched(mode);
    const limited = makeTool(
      (_, given) =>
        new ToolMessage({
          content: "see details",
          tool_call_id: given.toolCall!.id!,
          name: "t",
          status: "error",
          artifact,
        }),
    );
    await agentOf([limited]).invoke(ask, config);
    expect(verdict(onlySpan())).toEqual(failed(type));
    expect(onlySpan().status.message).toBe("see details");
    expect(await failures()).toBe(1);
  });

  it("R15: thrown as this adapter does, and returned as Python's: one failure each, alike but for who handled it", async () => {
    const { config, spans, counts } = watched(mode);
    const { tools } = await mcpSetting({ remote: () => ({ isError: true, ...text("upstream 503") }) });
    const returning = makeTool((_, given) => answer("error", given, "upstream 503"), { name: "remote" });
    for (const one of [tools["remote"], returning]) {
      await agentOf([one], {}, [asks(call("remote", "c1")), done]).invoke(ask, config);
    }
    expect(spans().map(({ name }) => name)).toEqual(["execute_tool remote", "execute_tool remote"]);
    expect(spans().map((span) => verdict(span).status)).toEqual(["ERROR", "ERROR"]);
    for (const { status } of spans()) expect(status.message).toMatch(/upstream 503$/);
    expect(spans().map(({ attributes }) => attributes["toolspan.handled"])).toEqual([undefined, true]);
    expect((await counts()).map(({ count }) => count)).toEqual([1, 1]);
  });
});
