/** What several sets of scenarios are made of. */
import { AIMessageChunk } from "@langchain/core/messages";
import { ChatGenerationChunk } from "@langchain/core/outputs";
import { tool } from "@langchain/core/tools";
import type { makeTool } from "../../agent.ts";
import { schema, ScriptedModel } from "../../agent.ts";

export const jsonSchema = { type: "object", properties: { q: { type: "string" } }, required: ["q"] } as const;

/** An error that has more to it than a message. */
export class PaymentRefused extends Error {
  override readonly name = "PaymentRefused";
  readonly code = "EPAY";
  readonly details = { attempts: [1, 2], card: undefined };
}

/** Retries that do not wait. */
export const quick = { initialDelayMs: 1, maxDelayMs: 2, jitter: false };

/** Orders what would else be ordered by timers. */
export function gate(): { open(): void; readonly passed: Promise<void> } {
  let open = (): void => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, passed };
}

export function cycle(): object {
  const value: Record<string, unknown> = {};
  value["self"] = value;
  return value;
}

/** A model that gives its answers word by word. */
export class StreamingModel extends ScriptedModel {
  override async *_streamResponseChunks(
    ...[messages, , manager]: Parameters<NonNullable<ScriptedModel["_streamResponseChunks"]>>
  ): AsyncGenerator<ChatGenerationChunk> {
    const { generations } = await this._generate(messages);
    const { message } = generations[0]!;
    const words = String(message.content).split(" ");
    for (const [index, word] of words.entries()) {
      const calls = index === 0 && "tool_calls" in message ? { tool_calls: message.tool_calls as never } : {};
      const chunk = new ChatGenerationChunk({ text: word, message: new AIMessageChunk({ content: word, ...calls }) });
      yield chunk;
      await manager?.handleLLMNewToken(word, undefined, undefined, undefined, undefined, { chunk });
    }
  }
}

/** A tool of a function as it is. */
export const toolOf = (body: (input: { q: string }, config: unknown) => unknown) =>
  tool(body as never, { name: "t", description: "d", schema }) as unknown as ReturnType<typeof makeTool>;
