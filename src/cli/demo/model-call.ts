import type { ReceivedSpan } from "../receiver/receiver.ts";

/** What the demo reads of one `chat` span; nothing is made up of what the model does not say. */
export interface ModelCall {
  readonly model: unknown;
  readonly provider: unknown;
  readonly finishReasons: unknown;
  readonly inputTokens: unknown;
  readonly outputTokens: unknown;
}

/** The model calls' spans, by span id. */
export function readModelCalls(spans: readonly ReceivedSpan[]): ReadonlyMap<string, ModelCall> {
  const drawn = spans.filter(({ attributes }) => attributes["gen_ai.operation.name"] === "chat");
  return new Map(drawn.map((span) => [span.spanId, modelCall(span)]));
}

function modelCall({ attributes }: ReceivedSpan): ModelCall {
  return {
    model: attributes["gen_ai.request.model"],
    provider: attributes["gen_ai.provider.name"],
    finishReasons: attributes["gen_ai.response.finish_reasons"],
    inputTokens: attributes["gen_ai.usage.input_tokens"],
    outputTokens: attributes["gen_ai.usage.output_tokens"],
  };
}
