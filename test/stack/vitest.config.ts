import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: new URL("../..", import.meta.url).pathname,
    include: ["test/stack/**/*.test.ts"],
    reporters: ["default", "./test/support/closing-line.ts"],
    // Real programs on two cores: one file at a time, and time enough on a busy machine.
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
