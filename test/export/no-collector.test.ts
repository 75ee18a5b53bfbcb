import { describe, expect, it } from "vitest";
import { useWorkshop } from "./run-app.ts";
import { withHangingCollector } from "./hanging-collector.ts";

const shop = useWorkshop();

const clean = { code: 0, signal: null, stderr: "" };

describe("R76: no collector", () => {
  const limits = { flushTimeoutMs: 500 };

  it.each(["down", "hanging"])(
    "%s: the process ends within the bound, with its own code and no rejection",
    async (how) => {
      await withHangingCollector(async (hanging) => {
        const endpoint = how === "down" ? "http://127.0.0.1:9" : hanging;
        const app = await shop.run(
          `await startTracing(${JSON.stringify({ ...limits, endpoint })});
        runTools(5000, 2);
        process.on("exit", () => console.log(JSON.stringify(said.filter((words) => words.startsWith("toolspan")))));`,
          { environment: { OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "50" } },
        );
        expect(app).toMatchObject(clean);
        expect(app.milliseconds).toBeLessThan(6000);
        expect(JSON.parse(app.stdout)).toEqual([
          expect.stringContaining("the flush of spans and metrics failed; said once"),
        ]);
      });
    },
  );

  it.each(["flush", "shutdown"])("hanging: %s() resolves within the bound and says so once", async (method) => {
    await withHangingCollector(async (endpoint) => {
      const app = await shop.run(
        `const tracing = await startTracing(${JSON.stringify({ ...limits, endpoint })});
        runTools(1, 1);
        const from = performance.now();
        await tracing.${method}();
        await tracing.${method}();
        const words = said.filter((one) => one.startsWith("toolspan"));
        console.log(JSON.stringify({ took: performance.now() - from, words }));
        process.exit(0);`,
        { environment: { OTEL_EXPORTER_OTLP_TIMEOUT: "30000" } },
      );
      expect(app).toMatchObject(clean);
      const { took, words } = JSON.parse(app.stdout) as { took: number; words: string[] };
      expect(took).toBeLessThan(4000);
      expect(words).toHaveLength(1);
    });
  });
});
