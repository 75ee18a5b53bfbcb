import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { BaseMessage } from "@langchain/core/messages";
import type { Frameworks } from "./frameworks.ts";

/** One turn of the model: the tools it calls, or the answer it gives. */
export type Turn = string | readonly ScriptedCall[];

export interface ScriptedCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** A real LangChain chat model whose words are a script. The turn follows from the conversation, so a resumed thread goes on. */
export function createScriptedModel(frameworks: Frameworks, turns: readonly Turn[]): BaseChatModel {
  const { AIMessage } = frameworks;
  class ScriptedModel extends frameworks.BaseChatModel {
    _llmType(): string {
      return "scripted";
    }

    override bindTools(): this {
      return this;
    }

    override async _generate(messages: BaseMessage[]) {
      const index = messages.filter((message) => message.getType() === "ai").length;
      const turn = turns[index] ?? "Done.";
      const message =
        typeof turn === "string"
          ? new AIMessage(turn)
          : new AIMessage({
              content: "",
              tool_calls: turn.map(({ tool, args }, position) => ({
                type: "tool_call" as const,
                id: `call_${index + 1}${"abcdefgh"[position] ?? position}`,
                name: tool,
                args: { ...args },
              })),
            });
      return { generations: [{ text: message.text, message }] };
    }
  }
  return new ScriptedModel({});
}
