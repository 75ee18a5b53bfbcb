import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { BaseMessage } from "@langchain/core/messages";
import type { Frameworks } from "./frameworks.ts";

/** One turn of the model: the tools it calls, or the answer it gives. */
export type Turn = string | readonly ScriptedCall[];

export interface ScriptedCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

const MODEL = "scripted-1";
const PROVIDER = "toolspan-demo";

/**
 * A real LangChain chat model whose words are a script. The turn follows from the conversation, so a resumed thread goes on.
 * Like the models of providers it says its name, which tools it was offered and how many tokens it took.
 */
export function createScriptedModel(frameworks: Frameworks, turns: readonly Turn[]): BaseChatModel {
  const { AIMessage } = frameworks;
  class ScriptedModel extends frameworks.BaseChatModel {
    private offered: readonly unknown[] = [];

    _llmType(): string {
      return "scripted";
    }

    override bindTools(tools: readonly unknown[]): this {
      this.offered = tools.map((tool) => ({ type: "function", function: { name: (tool as { name: string }).name } }));
      return this;
    }

    override invocationParams() {
      return { model: MODEL, tools: this.offered };
    }

    override getLsParams(options: this["ParsedCallOptions"]) {
      return { ...super.getLsParams(options), ls_provider: PROVIDER, ls_model_name: MODEL };
    }

    override async _generate(messages: BaseMessage[]) {
      const index = messages.filter((message) => message.getType() === "ai").length;
      const turn = turns[index] ?? "Done.";
      const calls = typeof turn === "string" ? [] : turn;
      const message = new AIMessage({
        content: typeof turn === "string" ? turn : "",
        tool_calls: calls.map(({ tool, args }, position) => ({
          type: "tool_call" as const,
          id: `call_${index + 1}${"abcdefgh"[position] ?? position}`,
          name: tool,
          args: { ...args },
        })),
        response_metadata: { model_name: MODEL, finish_reason: calls.length > 0 ? "tool_calls" : "stop" },
      });
      // By assignment: LangChain's own type of the field does not allow for `exactOptionalPropertyTypes`.
      Object.assign(message, { usage_metadata: usageOf(messages, turn) });
      return { generations: [{ text: message.text, message }] };
    }
  }
  return new ScriptedModel({});
}

function usageOf(messages: readonly BaseMessage[], turn: Turn) {
  const input_tokens = messages.reduce((sum, message) => sum + tokensOf(message.text), 0);
  const output_tokens = tokensOf(typeof turn === "string" ? turn : JSON.stringify(turn));
  return { input_tokens, output_tokens, total_tokens: input_tokens + output_tokens };
}

/** A token for every four characters, as a rule of thumb has it. */
function tokensOf(text: string): number {
  return Math.ceil(text.length / 4);
}
