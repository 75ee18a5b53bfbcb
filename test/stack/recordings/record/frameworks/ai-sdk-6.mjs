import { generateText, stepCountIs, tool } from "ai6";
import { MockLanguageModelV3 } from "ai6/test";
import { z } from "zod";
import { scripted } from "./ai-model.mjs";

export function run({ name, run: execute }) {
  const tools = {
    [name]: tool({ description: "A tool.", inputSchema: z.object({ x: z.number() }), execute: async () => execute() }),
  };
  return generateText({
    model: scripted(MockLanguageModelV3, name),
    tools,
    prompt: "go",
    stopWhen: stepCountIs(3),
    experimental_telemetry: { isEnabled: true },
  });
}
