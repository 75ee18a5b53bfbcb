/** Watching changes nothing: results, errors, and the user's own callbacks in their order, situation by situation. */
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { unwatch, watched } from "../../support/judged.ts";
import type { Mode } from "../../support/situations.ts";
import { isPlayable, situations } from "../../support/situations.ts";
import { useContextManager } from "../../support/traced.ts";

beforeAll(useContextManager);
afterEach(unwatch);

/** What the application gets, and what its own handler hears, without the ids that differ each time. */
async function lived(run: (config: { callbacks: object[] }) => unknown, callbacks: readonly object[]): Promise<object> {
  const heard: unknown[] = [];
  const own = Object.fromEntries(
    ["Tool", "Chain", "ChatModel"].flatMap((what) =>
      ["Start", "End", "Error"].map((when) => [
        `handle${what}${when}`,
        (first: unknown, second: unknown) => heard.push([what, when, when === "Start" ? text(second) : text(first)]),
      ]),
    ),
  );
  const config = { callbacks: [{ name: "own", awaitHandlers: true, ...own }, ...callbacks] };
  try {
    return { returned: text(await run(config)), heard };
  } catch (error) {
    return { threw: text(error), heard };
  }
}

const UUID = /[0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

function text(value: unknown): string {
  if (value instanceof Error) return `${value.constructor.name} ${value.name}: ${value.message.replaceAll(UUID, "id")}`;
  const seen = new Set<unknown>();
  const safe = (_key: string, inner: unknown): unknown => {
    if (typeof inner === "bigint") return `${inner}n`;
    if (typeof inner !== "object" || inner === null) return inner;
    if (seen.has(inner)) return "seen";
    seen.add(inner);
    return inner;
  };
  try {
    return `${typeof value} ${JSON.stringify(value, safe)?.slice(0, 20_000)}`
      .replaceAll(UUID, "id")
      .replaceAll(/"(?:uuid|ts|start_time|end_time|id)":"?[^",]*"?/g, "");
  } catch (error) {
    return String(error);
  }
}

describe.each<Mode>(["handler", "wrap", "both"])("with %s, the same as without", (mode) => {
  for (const [id, title, , run] of situations) {
    it.skipIf(!isPlayable(id))(`${id}: ${title}`, async () => {
      const bare = await lived(run, []);
      const { callbacks } = watched(mode);
      expect(await lived(run, callbacks)).toEqual(bare);
    });
  }
});
