import { Mastra } from "@mastra/core";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { Observability } from "@mastra/observability";
import { OtelBridge } from "@mastra/otel-bridge";
import { MockLanguageModelV3 } from "ai6/test";
import { z } from "zod";
import { scripted } from "./ai-model.mjs";

export async function run({ name, run: execute }) {
  const made = createTool({
    id: name,
    description: "A tool.",
    inputSchema: z.object({ x: z.number() }),
    execute: async () => execute(),
  });
  const agent = new Agent({
    id: "a",
    name: "a",
    instructions: "go",
    model: scripted(MockLanguageModelV3, name),
    tools: { [name]: made },
  });
  const observability = new Observability({
    configs: { default: { serviceName: "s", exporters: [], bridge: new OtelBridge() } },
  });
  const mastra = new Mastra({ logger: false, agents: { a: agent }, observability });
  return mastra.getAgent("a").generate("go", { maxSteps: 3 });
}
