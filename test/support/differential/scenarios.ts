/** Every scenario in which an application is played as it is and watched. */
import { isLangChain1 } from "../agent.ts";
import { isPlayable, situations } from "../situations.ts";
import type { Scenario } from "./scenario.ts";
import { agents } from "./scenarios/agents.ts";
import { contexts } from "./scenarios/contexts.ts";
import { errors } from "./scenarios/errors.ts";
import { generators } from "./scenarios/generators.ts";
import { handlers } from "./scenarios/handlers.ts";
import { races } from "./scenarios/races.ts";
import { refusals } from "./scenarios/refusals.ts";
import { shapes } from "./scenarios/shapes.ts";
import { streams } from "./scenarios/streams.ts";
import { thrown } from "./scenarios/thrown.ts";

const judged = situations
  .filter(([id]) => isPlayable(id))
  .map(([id, title, , run]): Scenario => [`${id}: ${title}`, ({ config }) => run(config)]);

export const scenarios: readonly Scenario[] = isLangChain1
  ? [
      ...agents,
      ...judged,
      ...streams,
      ...handlers,
      ...thrown,
      ...refusals,
      ...errors,
      ...shapes,
      ...generators,
      ...contexts,
      ...races,
    ]
  : judged;
