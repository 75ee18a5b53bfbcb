import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";

const OF_CONFIG = [
  "callbacks",
  "metadata",
  "recursionLimit",
  "runId",
  "runName",
  "signal",
  "tags",
  "timeout",
  "toolCall",
];

/** What a tool is given beside its arguments: the config, and what LangChain keeps of it in its own storage. */
export function toolView(config: unknown): object {
  return { given: view(config), stored: view(AsyncLocalStorageProviderSingleton.getRunnableConfig()) };
}

function view(config: unknown): unknown {
  if (typeof config !== "object" || config === null) return config;
  const known = OF_CONFIG.filter((key) => key in config).map((key) => [key, Reflect.get(config, key) as unknown]);
  const configurable = (config as { configurable?: Record<string, unknown> }).configurable ?? {};
  return {
    keys: Object.keys(config).toSorted(),
    configurable: Object.keys(configurable).toSorted(),
    thread: configurable["thread_id"],
    ...Object.fromEntries(known),
  };
}
