import type { CallFacts, ToolEnd } from "../core/call.ts";
import { fromThrown, isAbortError } from "../core/thrown.ts";
import type { Outcome } from "../core/outcome.ts";
import { INVALID_RESULT } from "../core/outcome.ts";
import { read, readItems, readText } from "../core/read.ts";
import { serializedClass, toolMessagesOf } from "../core/tool-message.ts";
import type { RecorderOptions } from "../span/options.ts";
import type { AdapterRecorder } from "../span/recorder.ts";
import { createAdapterRecorder } from "../span/recorder.ts";

/** Options of the LangChain handler; the same as those of every other door. */
export type ToolspanHandlerOptions = RecorderOptions;

/**
 * LangChain.js callback handler that makes one span a tool run, with the status the call really had.
 *
 * It imports nothing of LangChain and is used by shape, so it fits every copy and version of `@langchain/core`.
 *
 * @throws {TypeError} beginning with `toolspan:`, for an option that cannot work
 * @example
 * await agent.invoke(input, { callbacks: [new ToolspanHandler()] });
 */
export class ToolspanHandler {
  readonly name = "toolspan";
  /** Without it events go through one shared queue: they come late, and in another request's context. */
  readonly awaitHandlers = true;
  /** An error of ours must never become the agent's. */
  readonly raiseError = false;
  readonly ignoreLLM = true;
  readonly ignoreRetriever = true;
  readonly ignoreCustomEvent = true;
  /** `ignoreAgent` hides tool events, `ignoreChain` those of graph nodes. */
  readonly ignoreAgent = false;
  readonly ignoreChain = false;

  private readonly recorder: AdapterRecorder;

  constructor(options: ToolspanHandlerOptions = {}) {
    this.recorder = createAdapterRecorder(options);
  }

  handleToolStart(
    tool: unknown,
    input: string,
    runId: string,
    parentRunId?: string,
    _tags?: string[],
    metadata?: Record<string, unknown>,
    runName?: string,
    toolCallId?: string,
  ): void {
    this.recorder.onToolStart({
      key: runId,
      name: runName || classOf(tool),
      isStandIn: !runName,
      callId: toolCallId,
      args: input,
      agentName: agentOf(metadata),
      parentKey: parentRunId,
    });
  }

  handleToolEnd(output: unknown, runId: string, parentRunId?: string): void {
    this.recorder.onToolEnd(runId, output, { parentKey: parentRunId });
  }

  handleToolError(error: unknown, runId: string, parentRunId?: string): void {
    const end: ToolEnd = { kind: "threw", error };
    // The tool's own AbortError looks like the caller's; what its node makes of it tells them apart (see below).
    if (isAbortError(error))
      this.recorder.hold(runId, end, (call, parentEnd) => settleAbort(error, call, parentEnd), {
        parentKey: parentRunId,
      });
    else this.recorder.onToolError(runId, error, { parentKey: parentRunId });
  }

  /** The order is that of the calls; the one in LangChain's type declarations is another. */
  handleChainStart(_chain: unknown, _inputs: unknown, runId: string, parentRunId?: string): void {
    this.recorder.onParentStart({ key: runId, parentKey: parentRunId });
  }

  handleChainEnd(outputs: unknown, runId: string): void {
    this.recorder.onParentEnd(runId, outputs);
  }

  handleChainError(error: unknown, runId: string): void {
    this.recorder.onParentError(runId, error, isWrongShape(error) ? INVALID_RESULT : undefined);
  }

  /** Closes the runs still open as `abandoned` and takes no more. */
  shutdown(): void {
    this.recorder.shutdown();
  }
}

/** A sub-agent's runs are told under the name of the agent around it: theirs is not known. */
function agentOf(metadata: unknown): string | undefined {
  const isNested = readText(metadata, "langgraph_checkpoint_ns")?.includes("|") === true;
  return isNested ? undefined : readText(metadata, "lc_agent_name");
}

/** A class tool's run has no name; the serialized form knows at least its class. */
function classOf(tool: unknown): string {
  return readText(tool, "name") ?? serializedClass(tool);
}

/** Core's fixed sentence for a result it cannot read; it throws it after the tool has returned, and ends no run with it. */
function isWrongShape(error: unknown): boolean {
  return readText(error, "message")?.startsWith('Tool response format is "content_and_artifact"') === true;
}

/**
 * A caller's abort ends the node as well. Where the node goes on and answers the call, nobody stopped it: the abort was the
 * tool's own, and its call failed.
 */
function settleAbort(error: unknown, call: CallFacts, parentEnd: ToolEnd | undefined): Outcome {
  const answered = parentEnd?.kind === "returned" && answersIn(parentEnd.value, call).length > 0;
  return fromThrown(error, answered ? { signal: NOT_ABORTED } : {});
}

const NOT_ABORTED = new AbortController().signal;

/** The tool messages for this call in what a graph's node gave out: `{ messages }`, a list of messages, Commands, or both. */
function answersIn(outputs: unknown, call: CallFacts): readonly object[] {
  const parts = [
    outputs,
    read(outputs, "messages"),
    read(outputs, "output"),
    ...(readItems(outputs) ?? []).map((item) => read(item, "messages")),
  ];
  return parts.flatMap((part) => toolMessagesOf(part, call)).filter((message) => isAddressedTo(message, call));
}

function isAddressedTo(message: object, call: CallFacts): boolean {
  if (call.callId) return readText(message, "tool_call_id") === call.callId;
  return readText(message, "name") === call.name;
}
