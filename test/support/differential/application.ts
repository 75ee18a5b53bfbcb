import { seenContext } from "./callers-context.ts";
import { keep } from "./keep.ts";
import type { Plain } from "./plain.ts";
import { createCopier } from "./plain.ts";
import type { Application } from "./scenario.ts";

/** How an application is watched. */
export interface Way {
  /** Our handlers: before the application's own, and after them. */
  readonly first: readonly object[];
  readonly last: readonly object[];
  /** Those of a call to which the application gives none. */
  readonly alone: readonly object[];
  /** Watches one tool. */
  watch(tool: object): void;
  /** See `Application`. */
  readonly stepsToFollow: number;
}

export const unwatched: Way = { first: [], last: [], alone: [], watch() {}, stepsToFollow: 0 };

/**
 * With a handler that does nothing where the application has none, under the name of ours. LangChain itself does otherwise as
 * soon as there is a handler of anybody's: it gives messages other ids and tools another config.
 */
export const unwatchedBut: Way = { ...unwatched, alone: [{ name: "toolspan", awaitHandlers: true }] };

const EVENTS = [
  ...["LLM", "ChatModel", "Chain", "Tool", "Retriever"].flatMap((what) =>
    ["Start", "End", "Error"].map((when) => `handle${what}${when}`),
  ),
  "handleLLMNewToken",
  "handleToolEvent",
  "handleText",
  "handleAgentAction",
  "handleAgentEnd",
  "handleCustomEvent",
];

/** The application of one run of a scenario, with what has become of it. */
export interface Played extends Application {
  readonly diary: readonly Plain[];
  copy(value: unknown): Plain;
  /** The application's own things that are not as they were. */
  changed(): readonly string[];
  /** Whether it has made a call without a handler of its own. */
  hasNoHandler(): boolean;
}

export function createApplication({ first, last, alone, watch, stepsToFollow }: Way): Played {
  const copy = createCopier();
  const diary: Plain[] = [];
  const kept: { readonly what: string; readonly isAsBefore: () => boolean }[] = [];
  const note = (what: string, ...told: readonly unknown[]): void => {
    diary.push([what, seenContext(), ...told.map(copy)]);
  };
  const guarded = <Value extends object>(what: string, value: Value): Value => {
    kept.push({ what, isAsBefore: keep(value) });
    return value;
  };
  const handler = (fields: object = {}): object => {
    const events = EVENTS.map((event) => [event, (...told: unknown[]) => note(event, ...told)] as const);
    return guarded("a handler", { name: "own", awaitHandlers: true, ...Object.fromEntries(events), ...fields });
  };
  const withHandlers = (...own: readonly object[]): { readonly callbacks: object[] } =>
    guarded("a config", { callbacks: guarded("a list of handlers", [...first, ...own, ...last]) });

  const quiet = alone.length > 0 ? guarded("a config", { callbacks: [...alone] }) : {};
  let hasNoHandler = false;

  return {
    config: withHandlers(handler()),
    get quiet() {
      hasNoHandler = true;
      return quiet;
    },
    withHandlers,
    handler,
    note,
    stepsToFollow,
    watch(tool) {
      guarded("a tool", tool);
      watch(tool);
      return tool;
    },
    diary,
    copy,
    hasNoHandler: () => hasNoHandler,
    changed: () => kept.filter(({ isAsBefore }) => !isAsBefore()).map(({ what }) => what),
  };
}
