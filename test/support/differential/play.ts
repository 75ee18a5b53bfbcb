import { awaitAllCallbacks } from "@langchain/core/callbacks/promises";
import type { Way } from "./application.ts";
import { createApplication } from "./application.ts";
import { inCallersContext, isCallersContext } from "./callers-context.ts";
import { listened } from "./listen.ts";
import type { Plain } from "./plain.ts";
import type { Scenario } from "./scenario.ts";

/** All that an application sees of one scenario. */
export interface Account {
  /** What it was given, or what was thrown at it. */
  readonly end: Plain;
  /** Its own callbacks, tools and nodes, and the console, in their order. */
  readonly diary: readonly Plain[];
  /** Whether its own context stayed as it had set it: beside the call, and after it. */
  readonly isContextKept: readonly boolean[];
  /** Those of its own things that were written on. */
  readonly changed: readonly string[];
  readonly unhandledRejections: readonly Plain[];
  /** Whether it has made a call without a handler of its own. */
  readonly hasNoHandler: boolean;
}

export async function play([, run]: Scenario, way: Way): Promise<Account> {
  const application = createApplication(way);
  const { copy, diary } = application;
  const isContextKept: boolean[] = [];
  const live = async (): Promise<Plain> => {
    try {
      const going = run(application);
      isContextKept.push(isCallersContext());
      return { returned: copy(await going) };
    } catch (error) {
      return { threw: copy(error) };
    } finally {
      isContextKept.push(isCallersContext());
    }
  };
  const { value, rejections } = await listened(application.note, async () => {
    // Its own turn of the event loop, so that no stack tells who plays it.
    const end = await new Promise<Plain>((resolve) => setImmediate(() => resolve(inCallersContext(live))));
    await awaitAllCallbacks();
    return end;
  });
  return {
    end: value,
    diary,
    isContextKept,
    changed: application.changed(),
    unhandledRejections: rejections.map(copy),
    hasNoHandler: application.hasNoHandler(),
  };
}
