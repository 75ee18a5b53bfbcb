import { OpenTelemetry } from "@ai-sdk/otel";
import { generateText, isStepCount, registerTelemetry, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { z } from "zod";
import { scripted } from "./ai-model.mjs";

registerTelemetry(new OpenTelemetry());

export function run({ name, run: execute }) {
  const tools = {
    [name]: tool({ description: "A tool.", inputSchema: z.object({ x: z.number() }), execute: async () => execute() }),
  };
  return generateText({ model: scripted(MockLanguageModelV4, name), tools, prompt: "go", stopWhen: isStepCount(3) });
}
