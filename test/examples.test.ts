/** The examples run, each against a real receiver, and the README quotes them. */
import { readFileSync } from "node:fs";
import { context, metrics, propagation, trace } from "@opentelemetry/api";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Receiver, startReceiver } from "../src/cli/receiver/receiver.ts";

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");

describe("examples", () => {
  let receiver: Receiver;
  beforeEach(async () => {
    receiver = await startReceiver();
    vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.endpoint);
    vi.spyOn(console, "log").mockReturnValue();
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    for (const api of [trace, metrics, context, propagation]) api.disable();
    await receiver.close();
  });

  it.each([
    ["langchain", "execute_tool weather", "Error", "no weather for Oslo"],
    ["loop", "execute_tool search", "tool_error", "index is rebuilding"],
    ["own-callbacks", "execute_tool lookup", "tool_error", "tool call failed"],
  ])("%s: the failed call arrives as one", async (name, span, errorType, message) => {
    await import(`../examples/${name}.ts`);
    expect(receiver.spans.filter(({ status }) => status.code === 2)).toMatchObject([
      { name: span, status: { code: 2, message }, attributes: { "error.type": errorType } },
    ]);
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
