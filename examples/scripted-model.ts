import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";

/** A chat model that asks for one tool call and is done when it has the answer. */
class ScriptedModel extends BaseChatModel {
  private readonly wish: { readonly tool: string; readonly args: Record<string, unknown> };

  constructor(wish: { readonly tool: string; readonly args: Record<string, unknown> }) {
    super({});
    this.wish = wish;
  }

  _llmType(): string {
    return "scripted";
  }

  override bindTools(): this {
    return this;
  }

  async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const isAnswered = messages.at(-1)?.getType() === "tool";
    const call = { name: this.wish.tool, args: this.wish.args, id: "call_1", type: "tool_call" as const };
    const message = new AIMessage(isAnswered ? "done" : { content: "", tool_calls: [call] });
    return { generations: [{ text: String(message.content), message }] };
  }
}

export function scriptedModel(wish: { readonly tool: string; readonly args: Record<string, unknown> }): BaseChatModel {
  return new ScriptedModel(wish);
}
