const LEVELS = ["debug", "error", "info", "log", "warn"] as const;

/** What LangChain says of each handler where a tool's input is no JSON; that it says it of ours too is in the README's limits. */
const OF_OUR_HANDLER =
  /^Error in handler ToolspanHandler, handleToolStart: TypeError: (?:Do not know how to serialize a BigInt|Converting circular structure to JSON)/;

/** Node's own warnings, with the number of the process. */
const OF_NODE = /^\(node:\d+\) /;

/**
 * Runs a body with whole stacks, the console written down, and the rejections that nobody handles taken from whoever else
 * listens for them, such as a test runner.
 */
export async function listened<Value>(
  note: (what: string, ...told: unknown[]) => void,
  body: () => Promise<Value>,
): Promise<{ readonly value: Value; readonly rejections: readonly unknown[] }> {
  const rejections: unknown[] = [];
  const others = process.listeners("unhandledRejection");
  const before = LEVELS.map((level) => [level, console[level]] as const);
  const { stackTraceLimit } = Error;
  process.removeAllListeners("unhandledRejection");
  process.on("unhandledRejection", (reason) => void rejections.push(reason));
  Error.stackTraceLimit = 60;
  for (const level of LEVELS)
    console[level] = (...words: unknown[]) => {
      const isTold = ![OF_OUR_HANDLER, OF_NODE].some((pattern) => pattern.test(String(words[0])));
      if (isTold) note(`console.${level}`, ...words);
    };
  try {
    const value = await body();
    // Rejections are told after the turn in which nobody handled them.
    for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    return { value, rejections };
  } finally {
    for (const [level, method] of before) console[level] = method;
    Error.stackTraceLimit = stackTraceLimit;
    process.removeAllListeners("unhandledRejection");
    for (const other of others) process.on("unhandledRejection", other);
  }
}
