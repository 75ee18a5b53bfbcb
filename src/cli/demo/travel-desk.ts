import type { BaseCallbackHandler, CallbackHandlerMethods } from "@langchain/core/callbacks/base";
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
  const tools = [...createTravelTools(frameworks, tracer), ...hotels.tools];
  const checkpointer = new frameworks.MemorySaver();
  try {
    for (const [index, scenario] of scenarios.entries()) {
      const agent = frameworks.createAgent({
        name: "travel-desk",
        model: createScriptedModel(frameworks, scenario.turns),
        tools,
        middleware: middlewareFor(scenario, frameworks),
        checkpointer,
      });
      const threadId = scenario.thread ?? `thread-${index}`;
      await tracer.startActiveSpan(scenario.request, async (span) => {
        try {
          await withStop(scenario, ({ signal, user }) =>
            agent.invoke(inputOf(scenario, frameworks), {
              callbacks: [handler as BaseCallbackHandler, user],
              configurable: { thread_id: threadId },
              signal,
            }),
          );
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

function middlewareFor({ retries }: Scenario, frameworks: Frameworks) {
  const human = frameworks.humanInTheLoopMiddleware({ interruptOn: { cancel_booking: true } });
  const retry = frameworks.toolRetryMiddleware({ maxRetries: 2, initialDelayMs: 20, jitter: false });
  // Not for all: a middleware around tool calls takes the place of LangChain's own handling of errors.
  return retries ? [human, retry] : [human];
}

function inputOf({ request, humanAnswer }: Scenario, { Command }: Frameworks) {
  if (humanAnswer !== undefined) return new Command({ resume: humanAnswer });
  return { messages: [{ role: "user", content: request }] };
}

/** A user who watches the run and may stop it. */
interface Stop {
  readonly signal: AbortSignal;
  readonly user: CallbackHandlerMethods;
}

/** A user's stop ends the run with an AbortError, which an application expects. */
async function withStop({ stopAfterMs }: Scenario, run: (stop: Stop) => Promise<unknown>): Promise<void> {
  const stop = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const user: CallbackHandlerMethods = {
    handleToolStart() {
      if (stopAfterMs !== undefined) timer = setTimeout(() => stop.abort(), stopAfterMs);
    },
  };
  try {
    await run({ signal: stop.signal, user });
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
  }
}
