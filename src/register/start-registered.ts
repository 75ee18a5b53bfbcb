import { instrumentLangChain, ToolspanHandler } from "../adapters/langchain.ts";
import { attachHandler } from "../adapters/langchain/attach-handler.ts";
import { startTracing } from "../export/node.ts";
import { createGuard } from "../span/guard.ts";
import { onModule } from "./on-module.ts";

/** Sets tracing up and has each copy of LangChain.js watched when the application loads it. */
export async function startRegistered(): Promise<void> {
  try {
    await startTracing();
  } catch (error) {
    // The application did not ask for us in its code: it runs on, untraced unless it registers a provider of its own.
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  }
  const guard = createGuard();
  const handler = new ToolspanHandler();
  const watch = {
    "@langchain/core/dist/tools/index": instrumentLangChain,
    "@langchain/core/dist/callbacks/manager": (module: object) => attachHandler(module, handler),
  };
  onModule(Object.keys(watch), (name, module) => {
    guard.run(`watching of ${name}`, () => watch[name as keyof typeof watch](module));
  });
}
