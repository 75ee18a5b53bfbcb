import type { Failure } from "./outcome.ts";

/** Identifies one run. A framework's run id, or any text that no other run of the same tracer provider has. */
export type RunKey = string | symbol;

/**
 * One execution of a tool as the framework announces it.
 *
 * A *call* is what the model asked for (`callId`); it may have no run, one, or many. A `ToolCall` describes one run.
 */
export interface ToolCall {
  /** The run's own id. Never the call id: retries and nested tools repeat that one. */
  readonly key: RunKey;
  /** The tool's name as the model knows it. */
  readonly name: string;
  /** The name is a stand-in (LangChain's class tools tell only their class): the answer's own name replaces it. */
  readonly isStandIn?: boolean | undefined;
  /** `gen_ai.tool.call.id`, only if the model or its provider gave one. */
  readonly callId?: string | undefined;
  /** The arguments as given. Never written to a span unless the user opts in. */
  readonly args?: unknown;
  /** `gen_ai.tool.type`. @default "function" */
  readonly type?: "function" | "extension" | "datastore" | undefined;
  readonly description?: string | undefined;
  readonly agentName?: string | undefined;
  /** 2, 3, … where this is a later run of one call. */
  readonly attempt?: number | undefined;
  /** Runs of one call across pauses: a run is linked to the interrupted one that it resumes. */
  readonly resumeKey?: string | undefined;
  /** The name which the model invented, where `name` is `unknown_tool`. */
  readonly requestedTool?: string | undefined;
  /** The caller's signal. Where it is known, only an aborted signal makes a cancellation. */
  readonly signal?: AbortSignal | undefined;
  /** The run this one was started by; its span, or that of its nearest ancestor with a span, becomes the parent. */
  readonly parentKey?: RunKey | undefined;
}

/** What a rule may know of the call it judges. */
export type CallFacts = Partial<Omit<ToolCall, "key">>;

/** How a run ended, as the framework tells it. There is no third way. */
export type ToolEnd = (
  | { readonly kind: "returned"; readonly value: unknown }
  | {
      readonly kind: "threw";
      readonly error: unknown;
      /** `error.type`, where the framework's event tells more than the error: refused arguments, a result of wrong shape. */
      readonly errorType?: string | undefined;
    }
) & {
  /** What failed, where that is known already and neither value nor error still tells it. */
  readonly known?: Failure | undefined;
};
