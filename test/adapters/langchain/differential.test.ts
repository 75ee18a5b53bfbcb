/**
 * The tracer changes nothing: each scenario as it is and watched, in every way, gives the same results, messages, errors,
 * callbacks in their order, contexts and rejections.
 */
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { instrumentTool } from "../../../src/adapters/langchain.ts";
import type { Way } from "../../support/differential/application.ts";
import { unwatched, unwatchedBut } from "../../support/differential/application.ts";
import { useContexts } from "../../support/differential/callers-context.ts";
import type { Account } from "../../support/differential/play.ts";
import { play } from "../../support/differential/play.ts";
import type { Scenario } from "../../support/differential/scenario.ts";
import { scenarios } from "../../support/differential/scenarios.ts";
import { isLangChain1 } from "../../support/agent.ts";
import { unwatch, watched } from "../../support/judged.ts";
import type { Mode } from "../../support/situations.ts";

beforeAll(useContexts);
afterEach(unwatch);

const bare = new Map<Scenario, Promise<Account>>();
async function asItIs(scenario: Scenario, mode: Mode): Promise<Account> {
  if (!bare.has(scenario)) bare.set(scenario, play(scenario, unwatched));
  const account = await bare.get(scenario)!;
  return account.hasNoHandler && mode !== "wrap" ? play(scenario, unwatchedBut) : account;
}

/** A handler of ours comes before the application's own, and with the wrap after it, so that both orders are played. */
function wayOf(mode: Mode): Way & { countSpans(): number } {
  const { callbacks, allSpans, tracerProvider, meterProvider } = watched(mode, { captureContent: true });
  const isWrap = mode !== "handler";
  return {
    first: mode === "handler" ? callbacks : [],
    last: mode === "both" ? callbacks : [],
    alone: callbacks,
    watch: (tool) => isWrap && void instrumentTool(tool, { tracerProvider, meterProvider, captureContent: true }),
    stepsToFollow: isWrap ? 1 : 0,
    countSpans: () => allSpans().length,
  };
}

describe.each<Mode>(["handler", "wrap", "both"])("with %s, the same as without", (mode) => {
  let spans = 0;

  it.each(scenarios.map((scenario) => [scenario[0], scenario] as const))("%s", async (_title, scenario) => {
    const wanted = await asItIs(scenario, mode);
    const way = wayOf(mode);
    const account = await play(scenario, way);
    spans += way.countSpans();
    expect(account).toEqual(wanted);
  });

  it("though it was watched", () => {
    expect(spans).toBeGreaterThan(scenarios.length * 0.8);
  });
});

it.skipIf(!isLangChain1)("of the scenarios sixty and more are agents, and no two have one title", async () => {
  const accounts = await Promise.all(bare.values());
  const agents = accounts.filter(({ diary }) =>
    diary.some((entry) => String(entry).startsWith("handleChatModelStart")),
  );
  expect(agents.length).toBeGreaterThanOrEqual(60);
  expect(new Set(scenarios.map(([title]) => title)).size).toBe(scenarios.length);
});
