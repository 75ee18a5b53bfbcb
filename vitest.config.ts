import { defineConfig } from "vitest/config";

const source = (path: string): string => new URL(`./src/${path}`, import.meta.url).pathname;

export default defineConfig({
  resolve: {
    // The examples import the package by its name; here that is its source.
    alias: [
      { find: /^toolspan$/, replacement: source("index.ts") },
      { find: /^toolspan\/langchain\/errors$/, replacement: source("adapters/langchain-errors.ts") },
      { find: /^toolspan\/langchain$/, replacement: source("adapters/langchain.ts") },
      { find: /^toolspan\/node$/, replacement: source("export/node.ts") },
    ],
  },
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/stack/**"], // real Collector, Jaeger, Prometheus: `npm run test:stack`
    reporters: ["default", "./test/support/closing-line.ts"],
    testTimeout: 20_000,
    // Environment variables of the developer's own shell must not decide a test.
    env: { OTEL_SDK_DISABLED: "", LANGSMITH_TRACING: "false", LANGCHAIN_TRACING_V2: "false" },
  },
});
