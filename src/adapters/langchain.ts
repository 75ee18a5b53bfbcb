import type { RunKey } from "../core/call.ts";
import { INVALID_RESULT } from "../core/outcome.ts";
import { readText } from "../core/read.ts";
import { isAbortError } from "../core/thrown.ts";
import { serializedClass } from "../core/tool-message.ts";
import type { RecorderOptions } from "../span/options.ts";
import type { AdapterRecorder } from "../span/recorder.ts";
import { createAdapterRecorder } from "../span/recorder.ts";
import { answersIn } from "./langchain/answers.ts";
import type { ChainRun } from "./langchain/chain-run.ts";
import { graphName, isGraph, noteAsked, noteModel, noteRun, openChainRun } from "./langchain/chain-run.ts";
import { askedCalls, modelAnswer, modelCall, offeredTools } from "./langchain/model-call.ts";
import { settleByAnswers } from "./langchain/settle.ts";
import { unrunCalls } from "./langchain/unrun-call.ts";

export { instrumentLangChain, instrumentTool } from "./langchain/instrument.ts";
export type { LangChainInstrumentationConfig } from "./langchain/instrumentation.ts";
export { LangChainInstrumentation } from "./langchain/instrumentation.ts";

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
  readonly ignoreRetriever = true;
  readonly ignoreCustomEvent = true;
  /** `ignoreAgent` hides tool events, `ignoreChain` those of graph nodes, `ignoreLLM` what the model asked for. */
  readonly ignoreLLM = false;
  readonly ignoreAgent = false;
  readonly ignoreChain = false;

  private readonly recorder: AdapterRecorder;

  constructor(options: ToolspanHandlerOptions = {}) {
    this.recorder = createAdapterRecorder(options, settleByAnswers);
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
    const chain = this.chainAbove(parentRunId);
    const isRunning = (run: RunKey): boolean => this.recorder.isRunning(run);
    const call = chain && toolCallId ? noteRun(chain.ledger, toolCallId, runId, isRunning) : undefined;
    this.recorder.onToolStart({
      key: runId,
      name: runName || call?.asked || classOf(tool),
      isStandIn: !runName && !call?.asked,
      callId: toolCallId,
      args: input,
      attempt: call?.attempt,
      resumeKey: resumeKey(metadata, toolCallId),
      agentName: chain ? chain.agent : readText(metadata, "lc_agent_name"),
      parentKey: parentRunId,
    });
  }

  handleToolEnd(output: unknown, runId: string, parentRunId?: string): void {
    const late = { parentKey: parentRunId };
    // In a graph the node's answer tells what became of the call.
    if (this.chainAbove(parentRunId)?.node === undefined) this.recorder.onToolEnd(runId, output, late);
    else this.recorder.hold(runId, { kind: "returned", value: output }, late);
  }

  handleToolError(error: unknown, runId: string, parentRunId?: string): void {
    const late = { parentKey: parentRunId };
    const isInNode = this.chainAbove(parentRunId)?.node !== undefined;
    if (isInNode || isAbortError(error)) this.recorder.hold(runId, { kind: "threw", error }, late);
    else this.recorder.onToolError(runId, error, late);
  }

  /** The order is that of the calls; the one in LangChain's type declarations is another. */
  handleChainStart(
    chain: unknown,
    inputs: unknown,
    runId: string,
    parentRunId?: string,
    _tags?: string[],
    metadata?: Record<string, unknown>,
    _runType?: string,
    runName?: string,
  ): void {
    this.recorder.onParentStart({
      key: runId,
      parentKey: parentRunId,
      data: openChainRun(chain, inputs, { run: this.chainAbove(parentRunId), key: parentRunId }, metadata, runName),
      drawing: isGraph(chain)
        ? { kind: "agent", name: graphName(runName), conversationId: readText(metadata, "thread_id") }
        : undefined,
    });
  }

  handleChainEnd(outputs: unknown, runId: string): void {
    const chain = this.chainRun(runId);
    this.recorder.onParentEnd(runId, outputs);
    if (chain?.node === undefined) return;
    for (const { call, outcome } of unrunCalls(answersIn(outputs), chain))
      this.recorder.onCallWithoutRun(call, outcome);
  }

  handleChainError(error: unknown, runId: string): void {
    const told = isGraphStop(error) ? new DOMException("Abort", "AbortError") : error;
    this.recorder.onParentError(runId, told, isWrongShape(error) ? INVALID_RESULT : undefined);
  }

  handleChatModelStart(
    _model: unknown,
    messages: unknown,
    runId: string,
    parentRunId?: string,
    extra?: Record<string, unknown>,
    _tags?: string[],
    metadata?: Record<string, unknown>,
  ): void {
    const chain = this.chainAbove(parentRunId);
    noteModel(chain);
    const offered = offeredTools(extra);
    if (chain && offered) chain.ledger.offered = new Set([...(chain.ledger.offered ?? []), ...offered]);
    this.recorder.onParentStart({
      key: runId,
      parentKey: parentRunId,
      data: chain,
      drawing: modelCall(messages, extra, metadata),
    });
  }

  handleLLMEnd(output: unknown, runId: string): void {
    const chain = this.chainRun(runId);
    if (chain) for (const { id, name } of askedCalls(output)) noteAsked(chain.ledger, id, name);
    this.recorder.onParentEnd(runId, undefined, modelAnswer(output));
  }

  handleLLMError(error: unknown, runId: string): void {
    this.recorder.onParentError(runId, error);
  }

  /** LangGraph streams the config that it was given, handlers and all, and applications write that down as JSON. */
  toJSON(): object {
    return { name: this.name };
  }

  /** Closes the runs still open as `abandoned` and takes no more. */
  shutdown(): void {
    this.recorder.shutdown();
  }

  private chainRun(runId: string): ChainRun | undefined {
    return this.recorder.parentData(runId) as ChainRun | undefined;
  }

  private chainAbove(parentRunId: string | undefined): ChainRun | undefined {
    return this.recorder.dataAbove(parentRunId) as ChainRun | undefined;
  }
}

/** A graph with a checkpointer runs an interrupted call again when its thread is resumed. */
function resumeKey(metadata: unknown, callId: string | undefined): string | undefined {
  const thread = readText(metadata, "thread_id");
  return thread && callId ? `${thread}/${callId}` : undefined;
}

/** A class tool's run has no name; the serialized form knows at least its class. */
function classOf(tool: unknown): string {
  return readText(tool, "name") ?? serializedClass(tool);
}

/** What LangGraph's runner throws when the caller's signal stops a graph: an Error with this one word. */
function isGraphStop(error: unknown): boolean {
  return readText(error, "message") === "Abort" && readText(error, "name") === "Error";
}

/** Core's fixed sentence for a result it cannot read; it throws it after the tool has returned, and ends no run with it. */
function isWrongShape(error: unknown): boolean {
  return readText(error, "message")?.startsWith('Tool response format is "content_and_artifact"') === true;
}
