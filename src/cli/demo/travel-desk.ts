import type { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { Tracer } from "@opentelemetry/api";
import type { Frameworks } from "./frameworks.ts";
import { connectHotelServer } from "./hotel-server.ts";
import type { Scenario } from "./scenarios.ts";
import { createScriptedModel } from "./scripted-model.ts";
import { createTravelTools } from "./travel-tools.ts";

/**
 * Runs the scenarios one after the other, each under a span of the application's own, as a web server's request would be.
 *
 * @param handler goes into LangChain's `callbacks`, by shape
 */
export async function runTravelDesk(
  frameworks: Frameworks,
  scenarios: readonly Scenario[],
  tracer: Tracer,
  handler: object,
): Promise<void> {
  const hotels = await connectHotelServer(frameworks);
  const tools = [...createTravelTools(frameworks), ...hotels.tools];
  const checkpointer = new frameworks.MemorySaver();
  try {
    for (const [index, scenario] of scenarios.entries()) {
      const agent = frameworks.createAgent({
        model: createScriptedModel(frameworks, scenario.turns),
        tools,
        checkpointer,
      });
      const config = {
        callbacks: [handler as BaseCallbackHandler],
        configurable: { thread_id: scenario.thread ?? `thread-${index}` },
      };
      await tracer.startActiveSpan(scenario.request, async (span) => {
        try {
          await withStop(scenario, (signal) => agent.invoke(inputOf(scenario, frameworks), { ...config, signal }));
        } finally {
          span.end();
        }
      });
      // Other tracers' handlers work through LangChain's background queue; they get all the time they need.
      await frameworks.awaitAllCallbacks();
    }
  } finally {
    await hotels.close();
  }
}

function inputOf({ request, approval }: Scenario, { Command }: Frameworks) {
  if (approval !== undefined) return new Command({ resume: approval });
  return { messages: [{ role: "user", content: request }] };
}

/** A user's stop ends the run with an AbortError, which an application expects. */
async function withStop(scenario: Scenario, run: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  const stop = new AbortController();
  const timer =
    scenario.stopAfterMs === undefined ? undefined : setTimeout(() => stop.abort(), scenario.stopAfterMs);
  try {
    await run(stop.signal);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
  }
}
