import { setTimeout as sleep } from "node:timers/promises";
import type { ToolRunnableConfig } from "@langchain/core/tools";
import type { Frameworks } from "./frameworks.ts";
import type { Turn } from "./scripted-model.ts";
import { createScriptedModel } from "./scripted-model.ts";

const CLERKS_TURNS: readonly Turn[] = [
  [{ tool: "check_visa", args: { passport: "NO", country: "IN" } }],
  "The visa service does not answer.",
];

/** A tool that asks another agent, which has a model and a tool of its own. */
export function askVisaClerk(frameworks: Frameworks) {
  const { createAgent, tool, z } = frameworks;
  const clerk = createAgent({
    name: "clerk",
    model: createScriptedModel(frameworks, CLERKS_TURNS),
    tools: [checkVisa(frameworks)],
  });
  return tool(
    async ({ question }, config: ToolRunnableConfig) => {
      const { messages } = await clerk.invoke({ messages: [{ role: "user", content: question }] }, config);
      return messages.at(-1)?.text ?? "";
    },
    { name: "ask_visa_clerk", description: "Asks the visa clerk", schema: z.object({ question: z.string() }) },
  );
}

/** Slower than the time LangChain gives it. */
function checkVisa({ tool, z }: Frameworks) {
  return tool(
    async ({ passport, country }, config: ToolRunnableConfig) => {
      await sleep(5000, undefined, { ...(config.signal && { signal: config.signal }) });
      return `${passport} passport: no visa needed for ${country}`;
    },
    {
      name: "check_visa",
      description: "Visa rules of a country",
      schema: z.object({ passport: z.string(), country: z.string() }),
      defaultConfig: { timeout: 120 },
    },
  );
}
