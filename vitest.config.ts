import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    reporters: ["default", "./test/support/closing-line.ts"],
    testTimeout: 20_000,
    // Environment variables of the developer's own shell must not decide a test.
    env: { OTEL_SDK_DISABLED: "", LANGSMITH_TRACING: "false", LANGCHAIN_TRACING_V2: "false" },
  },
});
