import { describe, expect, it } from "vitest";
import { outcomesIn, useWorkshop } from "./run-app.ts";
import { withHangingCollector } from "./hanging-collector.ts";

const shop = useWorkshop();

describe("signals", () => {
  const waits = `setInterval(() => {}, 1000); console.log("ready");`;

  it.each(["SIGTERM", "SIGINT"] as const)(
    "R33: %s without a listener closes open runs, flushes, and ends the process as without us",
    async (signal) => {
      const app = await shop.run(
        `await startTracing(); runTools(1); recorder.onToolStart({ key: "1", name: "search" }); ${waits}`,
        { kill: signal },
      );
      expect(app).toMatchObject({ code: null, signal, stderr: "" });
      expect(outcomesIn(shop.receiver).toSorted()).toEqual(["abandoned", "ok"]);
    },
  );

  it.each([
    ["on", "after"],
    ["once", "after"],
    ["once", "before"],
  ])(
    "with the application's own listener (%s, %s us) flushes only: open runs and exit code are its own",
    async (on, when) => {
      const start = "await startTracing();";
      const app = await shop.run(
        `${when === "after" ? start : ""}
       const alive = setInterval(() => {}, 1000);
       process.${on}("SIGTERM", () => setTimeout(() => {
         recorder.onToolEnd("1", "found");
         clearInterval(alive);
         process.exitCode = 7;
       }, 500));
       ${when === "before" ? start : ""}
       runTools(1, 1);
       recorder.onToolStart({ key: "1", name: "search" });
       console.log("ready");`,
        { kill: "SIGTERM" },
      );
      expect(app).toMatchObject({ code: 7, signal: null, stderr: "" });
      expect(outcomesIn(shop.receiver)).toEqual(["error", "ok"]);
    },
  );

  it("sends what had ended, where the application's own listener leaves by process.exit", async () => {
    const app = await shop.run(
      `await startTracing();
       runTools(1);
       process.on("SIGTERM", () => setTimeout(() => process.exit(7), 500));
       ${waits}`,
      { kill: "SIGTERM" },
    );
    expect(app).toMatchObject({ code: 7, stderr: "" });
    expect(outcomesIn(shop.receiver)).toEqual(["ok"]);
  });

  it("is there again for a later signal, which nobody else listens for any more", async () => {
    const app = await shop.run(
      `await startTracing();
       process.once("SIGTERM", () => setTimeout(() => {
         runTools(1);
         console.log("ready");
       }, 200));
       ${waits}`,
      { kill: "SIGTERM" },
    );
    expect(app).toMatchObject({ code: null, signal: "SIGTERM" });
    expect(outcomesIn(shop.receiver)).toEqual(["ok"]);
  });

  it("ends together with a listener that waits to be the only one", async () => {
    const app = await shop.run(
      `await startTracing();
       const onlyOne = () => {
         if (process.listenerCount("SIGTERM") > 1) return;
         process.removeListener("SIGTERM", onlyOne);
         process.kill(process.pid, "SIGTERM");
       };
       process.on("SIGTERM", onlyOne);
       setTimeout(() => process.exit(1), 10_000);
       console.log("ready");`,
      { kill: "SIGTERM" },
    );
    expect(app).toMatchObject({ code: null, signal: "SIGTERM" });
  });

  it("a second signal ends the process at once, while the first waits for a collector that hangs", async () => {
    await withHangingCollector(async (endpoint) => {
      const app = await shop.run(
        `await startTracing({ endpoint: "${endpoint}", flushTimeoutMs: 15_000 });
         runTools(1);
         setInterval(() => {}, 1000);
         console.log("ready");
         setTimeout(() => console.log("ready"), 500);`,
        { kill: "SIGINT" },
      );
      expect(app).toMatchObject({ code: null, signal: "SIGINT" });
      expect(app.milliseconds).toBeLessThan(10_000);
    });
  });
});
