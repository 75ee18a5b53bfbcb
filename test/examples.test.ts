/** The examples run, each against a real receiver, and the README quotes them. */
import { readFileSync } from "node:fs";
import { context, metrics, propagation, trace } from "@opentelemetry/api";
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from "vitest";
import { type Receiver, startReceiver } from "../src/cli/receiver/receiver.ts";

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");

describe("examples", () => {
  let receiver: Receiver;
  let log: MockInstance<typeof console.log>;
  beforeEach(async () => {
    receiver = await startReceiver();
    vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.endpoint);
    log = vi.spyOn(console, "log").mockReturnValue();
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    for (const api of [trace, metrics, context, propagation]) api.disable();
    await receiver.close();
  });

  /** The spans of tool calls, in their order: name, status, `error.type`, the failure's words. */
  const calls = () =>
    receiver.spans
      .filter(({ name }) => name.startsWith("execute_tool"))
      .map(({ name, status, attributes }) => [name, status.code, attributes["error.type"], status.message]);
  const rateLimited = '{"code":"rate_limited","retryAfter":30}';
  const block = { type: "tool_result", tool_use_id: "toolu_1", content: rateLimited, is_error: true };

  it.each([
    ["langchain", ["execute_tool weather", 2, "Error", "no weather for Oslo"]],
    [
      "loop",
      ["execute_tool search", 2, "tool_error", "index is rebuilding"],
      expect.objectContaining({ isError: true }),
    ],
    ["loop-errors", ["execute_tool search", 2, "rate_limited", rateLimited], JSON.stringify([block])],
    ["own-callbacks", ["execute_tool lookup", 2, "tool_error", "tool call failed"]],
    ["register-instrumentations", ["execute_tool weather", 2, "tool_error", "no weather for Oslo"]],
    [
      "tool-errors",
      ["execute_tool search", 2, "ToolException", "the search backend is down"],
      "the search backend is down",
    ],
  ])("%s: the failed call arrives as one, and the model is told", async (name, wanted, told?: unknown) => {
    await import(`../examples/${name}.ts`);
    expect(calls()).toEqual([wanted]);
    expect(log.mock.calls).toEqual(told === undefined ? [] : [[told]]);
  });

  it("wrap: refused arguments are seen, and what a tool calls is inside its span", async () => {
    await import("../examples/wrap.ts");
    expect(calls()).toEqual([
      ["execute_tool weather", 2, "invalid_arguments", expect.stringMatching(/^Received tool input/)],
      ["execute_tool weather", 0, undefined, ""],
    ]);
    const inner = receiver.spans.find(({ name }) => name === "GET /weather");
    const outer = receiver.spans.find(({ name, status }) => name === "execute_tool weather" && status.code === 0);
    expect(inner?.parentSpanId).toBe(outer?.spanId);
  });

  it("own-sdk: the handler can be made", async () => {
    const { toolspan } = (await import("../examples/own-sdk.ts")) as { toolspan: { name: string } };
    expect(toolspan.name).toBe("toolspan");
  });
});

describe("the README", () => {
  const readme = read("README.md");
  const quotes = [...readme.matchAll(/<!-- (examples\/[\w-]+\.ts) -->\n```ts\n([\s\S]*?)```/g)];

  it("quotes an example in each block of TypeScript", () => {
    expect(quotes.length).toBeGreaterThan(2);
    expect(readme.match(/```ts\n/g)).toHaveLength(quotes.length);
  });

  it.each(quotes.map(([, path, code]) => [path!, code!]))("quotes %s to the letter", (path, code) => {
    const region = /\/\/ #region readme\n([\s\S]*?)\/\/ #endregion/.exec(read(path))?.[1];
    expect(code).toBe(region);
  });
});
