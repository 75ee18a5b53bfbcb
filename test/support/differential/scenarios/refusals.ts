/** Arguments that a tool's schema refuses, or changes. */
import { tool } from "@langchain/core/tools";
import { z } from "zod";
import { agentOf, ask, asks, done, makeTool, mcpTools, toolCall } from "../../agent.ts";
import { ClassTool } from "../../situations.ts";
import type { Application, Scenario } from "../scenario.ts";
import { jsonSchema, PaymentRefused } from "./ingredients.ts";

/** A call that the model may hear of with its whole stack. */
const refused = (application: Application, one: object, args: Record<string, unknown> = { bad: 1 }) =>
  agentOf([application.watch(one)], {}, [asks(toolCall("t", args)), done]).invoke(ask, application.config as never);

const strict = (fields: object) =>
  tool(async () => "fine", { name: "t", description: "d", ...fields } as never) as object;

export const refusals: readonly Scenario[] = [
  ["arguments that a JSON schema refuses", (application) => refused(application, strict({ schema: jsonSchema }))],
  [
    "arguments that a JSON schema refuses, in many words",
    (application) => refused(application, strict({ schema: jsonSchema, verboseParsingErrors: true })),
  ],
  [
    "arguments that a JSON schema refuses, by hand",
    ({ config, watch }) =>
      (watch(strict({ schema: jsonSchema })) as ReturnType<typeof makeTool>).invoke({ bad: 1 } as never, config),
  ],
  [
    "arguments that a JSON schema refuses and that are no JSON",
    (application) => refused(application, strict({ schema: jsonSchema }), { bad: 1n }),
  ],
  [
    "arguments that an MCP server's schema refuses",
    async (application) => {
      const [mcp] = await mcpTools();
      return refused(application, Object.assign(mcp!, { name: "t" }));
    },
  ],
  [
    "arguments that a class tool's JSON schema refuses",
    (application) => refused(application, Object.assign(new ClassTool(), { name: "t", schema: jsonSchema })),
  ],
  [
    "a refusal inside another tool, whose stack that tool hands on",
    (application) => {
      const inner = strict({ schema: jsonSchema }) as ReturnType<typeof makeTool>;
      const outer = makeTool(async (_, inside) => {
        try {
          return await inner.invoke({ bad: 1 } as never, inside as object);
        } catch (error) {
          return String((error as Error).stack?.split("\n").slice(0, 4).join("\n"));
        }
      });
      return agentOf([application.watch(outer)]).invoke(ask, application.config as never);
    },
  ],
  [
    "arguments that a refinement refuses by throwing",
    (application) =>
      refused(
        application,
        strict({
          schema: z.object({
            q: z.string().refine(async (q) => {
              if (q === "x") throw new PaymentRefused("in the schema");
              return true;
            }),
          }),
        }),
        { q: "x" },
      ),
  ],
  [
    "arguments that a schema changes",
    (application) =>
      refused(
        application,
        tool(async (input) => application.note("the tool", input), {
          name: "t",
          description: "d",
          schema: z.object({
            q: z
              .string()
              .default("unsaid")
              .transform((q) => ({ q })),
          }),
        }),
        {},
      ),
  ],
];
