import { expect, it } from "vitest";
import { counted, useWorkshop } from "./run-app.ts";

const shop = useWorkshop();

it("R78: of 5,000 runs in one tick, every 10th failing, all spans arrive and all are counted", async () => {
  const app = await shop.run(`await startTracing(); runTools(5000, 10);`);
  expect(app).toMatchObject({ code: 0, stderr: "" });
  expect(shop.receiver.spans).toHaveLength(5000);
  expect(new Set(shop.receiver.spans.map(({ spanId }) => spanId)).size).toBe(5000);
  expect(shop.receiver.spans.filter(({ status }) => status.code === 2)).toHaveLength(500);
  expect(counted(shop.receiver)).toEqual({ runs: 5000, failed: 500 });
});

it("R78: a full queue of 32,768 spans is flushed at once and none is refused by the exporter", async () => {
  const app = await shop.run(`
    const tracing = await startTracing({ flushTimeoutMs: 15_000 });
    const tracer = trace.getTracer("app");
    for (let index = 0; index < 32_768; index += 1) tracer.startSpan("span").end();
    await tracing.flush();
    console.log(JSON.stringify(said));`);
  expect(app).toMatchObject({ code: 0, stderr: "", stdout: "[]\n" });
  expect(shop.receiver.spans).toHaveLength(32_768);
});

it("R78: OTEL_BSP_MAX_QUEUE_SIZE is obeyed, and the counts stay exact where spans are dropped", async () => {
  const environment = { OTEL_BSP_MAX_QUEUE_SIZE: "100" };
  await shop.run(`await startTracing(); runTools(1000, 10);`, { environment });
  expect(shop.receiver.spans.length).toBeGreaterThanOrEqual(100);
  expect(shop.receiver.spans.length).toBeLessThanOrEqual(200); // 100 under way and 100 that wait
  expect(counted(shop.receiver)).toEqual({ runs: 1000, failed: 100 });
});

it("at 1 % head sampling the histogram stays exact", async () => {
  const environment = { OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.01" };
  const app = await shop.run(`await startTracing(); runTools(5000, 10);`, { environment });
  expect(app).toMatchObject({ code: 0, stderr: "" });
  expect(shop.receiver.spans.length).toBeGreaterThan(5);
  expect(shop.receiver.spans.length).toBeLessThan(150);
  expect(counted(shop.receiver)).toEqual({ runs: 5000, failed: 500 });
});
