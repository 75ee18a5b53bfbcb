import { describe, expect, it } from "vitest";
import { counted, outcomesIn, useWorkshop } from "./run-app.ts";

const shop = useWorkshop();

const clean = { code: 0, signal: null, stderr: "" };

describe("the end of a script", () => {
  it("R74: a short script's spans and counts arrive without any call", async () => {
    const app = await shop.run(`await startTracing(); runTools(2, 2);`);
    expect(app).toMatchObject(clean);
    expect(shop.receiver.spans.map(({ status }) => status.code)).toEqual([2, 0]);
    expect(counted(shop.receiver)).toEqual({ runs: 2, failed: 1 });
  });

  it("R74: an awaited flush before process.exit loses nothing over 10 repeats", async () => {
    for (let repeat = 0; repeat < 5; repeat += 1) {
      const app = `const tracing = await startTracing(); runTools(1, 1); await tracing.flush(); process.exit(3);`;
      const ended = await Promise.all([shop.run(app), shop.run(app)]);
      expect(ended.map(({ code, stderr }) => `${code}${stderr}`)).toEqual(["3", "3"]);
    }
    expect(shop.receiver.spans.map(({ status }) => status.code)).toEqual(Array(10).fill(2));
    expect(counted(shop.receiver)).toEqual({ runs: 10, failed: 10 });
  });

  it("R74: a flush also waits for the batch that is under way already", async () => {
    const app = await shop.run(
      `const tracing = await startTracing();
       runTools(5000);
       await new Promise((resolve) => setTimeout(resolve, 30));
       await tracing.flush();
       process.exit(0);`,
      { environment: { OTEL_BSP_SCHEDULE_DELAY: "1" } },
    );
    expect(app).toMatchObject(clean);
    expect(shop.receiver.spans).toHaveLength(5000);
  });

  it("R74: shutdown sends everything, gives the globals back, and may be called twice", async () => {
    const app = await shop.run(`
      const tracing = await startTracing();
      runTools(1, 1);
      await Promise.all([tracing.shutdown(), tracing.shutdown()]);
      runTools(1);
      const key = Symbol("key");
      const managed = context.with(context.active().setValue(key, true), () => context.active().getValue(key) === true);
      const left = { managed, fields: propagation.fields() };
      const listeners = ["SIGTERM", "SIGINT", "beforeExit"].map((event) => process.listenerCount(event));
      const again = await startTracing();
      console.log(JSON.stringify({ left, listeners, again: [again.traces, again.metrics], fields: propagation.fields(), said }));
      process.exit(0);`);
    expect(app).toMatchObject(clean);
    const active = { active: true };
    const fields = ["traceparent", "tracestate", "baggage"];
    const left = { managed: false, fields: [] };
    expect(JSON.parse(app.stdout)).toEqual({ left, listeners: [0, 0, 0], again: [active, active], fields, said: [] });
    expect(outcomesIn(shop.receiver)).toEqual(["error"]);
  });

  it("R33: runs still open when the loop is empty are closed as abandoned, once", async () => {
    const app = await shop.run(`await startTracing(); recorder.onToolStart({ key: "1", name: "search" });`);
    expect(app).toMatchObject(clean);
    expect(outcomesIn(shop.receiver)).toEqual(["abandoned"]);
    expect(shop.receiver.spans[0]!.status.code).toBe(0);
    expect(counted(shop.receiver)).toEqual({ runs: 1, failed: 0 });
  });

  it.each([
    ["sampled", {}, ["execute_tool search", "execute_tool search", "early"]],
    ["not sampled, only counted", { OTEL_TRACES_SAMPLER: "always_off" }, []],
  ])("flushes again what another listener's last work adds (%s), and does not loop", async (_, environment, spans) => {
    const app = await shop.run(
      `await startTracing();
       runTools(1);
       const early = trace.getTracer("app").startSpan("early");
       let emptied = 0;
       process.on("beforeExit", () => {
         emptied += 1;
         if (emptied === 1) setTimeout(() => runTools(1), 300);
         else console.log(emptied);
         if (emptied === 2) setTimeout(() => early.end(), 300);
       });`,
      { environment },
    );
    expect(app).toMatchObject(clean);
    expect(counted(shop.receiver).runs).toBe(2);
    expect(shop.receiver.spans.map(({ name }) => name)).toEqual(spans);
    expect(Number(app.stdout.trim().split("\n").at(-1))).toBeLessThanOrEqual(5);
  });
});
