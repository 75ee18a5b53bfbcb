/** A scripted model of the AI SDK's: asks for the named tool once, then says it is done. */
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };

export function scripted(Model, toolName) {
  const next = (prompt) =>
    prompt.at(-1).role === "tool"
      ? { part: { type: "text", text: "done" }, finishReason: { unified: "stop", raw: "stop" } }
      : {
          part: { type: "tool-call", toolCallId: "call_1", toolName, input: '{"x":1}' },
          finishReason: { unified: "tool-calls", raw: "tool_calls" },
        };
  return new Model({
    doGenerate: async ({ prompt }) => {
      const { part, finishReason } = next(prompt);
      return { content: [part], finishReason, usage, warnings: [] };
    },
    doStream: async ({ prompt }) => {
      const { part, finishReason } = next(prompt);
      const parts =
        part.type === "text"
          ? [
              { type: "text-start", id: "t" },
              { type: "text-delta", id: "t", delta: part.text },
              { type: "text-end", id: "t" },
            ]
          : [part];
      const chunks = [{ type: "stream-start", warnings: [] }, ...parts, { type: "finish", finishReason, usage }];
      return {
        stream: new ReadableStream({ start: (to) => (chunks.forEach((chunk) => to.enqueue(chunk)), to.close()) }),
      };
    },
  });
}
