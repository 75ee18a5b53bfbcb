/** The Collector as users run it: the two files, in their order. */
import { describe, expect, it } from "vitest";
import { type Collector, startCollector, validateConfig } from "./support/collector.ts";
import { COMMAND_TRACERS, commandSpan } from "./support/commands.ts";
import { sendTraces, spansOf } from "./support/otlp.ts";
import { freePort } from "./support/ports.ts";
import { isToolSpan } from "./support/recordings.ts";
import { REPAIR_ONLY } from "./support/repair.ts";
import { until } from "./support/until.ts";

const configs = ["collector-config/collector.yaml", "collector-config/repair.yaml"];
const [openinference, traceloop] = COMMAND_TRACERS as [(typeof COMMAND_TRACERS)[0], (typeof COMMAND_TRACERS)[0]];
const failed = commandSpan(traceloop, [{ type: "tool", content: "quota exceeded", id: "call_1", status: "error" }]);
const good = commandSpan(openinference, [{ type: "tool", content: "sunny", id: "call_1", status: "success" }]);

/** Takes what the Collector hands to Jaeger. */
const startSink = (port: number): Promise<Collector> =>
  startCollector({ configs: REPAIR_ONLY, env: { OTLP_HTTP: `127.0.0.1:${port}` } });

describe("collector.yaml with repair.yaml", () => {
  it("is right to the Collector itself, and is not without the repair", async () => {
    expect(await validateConfig(configs)).toBe("");
    expect(await validateConfig(configs.slice(0, 1))).toContain(
      'references processor "transform/tool_status" which is not configured',
    );
  });

  it("counts what it has set right, and hands the same on", async () => {
    const port = await freePort();
    const sink = await startSink(port);
    const collector = await startCollector({
      configs,
      env: { JAEGER_OTLP: `http://127.0.0.1:${port}`, METRICS_FLUSH: "200ms" },
    });
    await sendTraces(collector.otlpHttp, failed);
    await sendTraces(collector.otlpHttp, good);
    const arrived = await until("both requests arrive", async () => {
      const spans = sink.written().flatMap(spansOf).filter(isToolSpan);
      return spans.length === 2 && spans;
    });
    expect(arrived.map(({ status }) => status).sort()).toEqual(["ERROR", "OK"]);
    const lines = await until("both calls are counted", async () => {
      const text = await (await fetch(`http://${collector.scrape}/metrics`)).text();
      const calls = text
        .split("\n")
        .filter((line) => line.startsWith("traces_span_metrics_calls_total{") && / 1(\.0)?( |$)/.test(line));
      return calls.length === 2 && calls;
    });
    expect(lines.filter((line) => line.includes('status_code="STATUS_CODE_ERROR"'))).toEqual([
      expect.stringMatching(
        /error_type="tool_error".*gen_ai_tool_name="ret_command_err".*toolspan_outcome="error".*toolspan_repaired="true"/,
      ),
    ]);
  });

  it("loses nothing that it has acknowledged, though Jaeger is down and it is killed", async () => {
    const port = await freePort();
    const env = { JAEGER_OTLP: `http://127.0.0.1:${port}` };
    const first = await startCollector({ configs, env });
    for (let index = 0; index < 200; index += 1) await sendTraces(first.otlpHttp, failed);
    await first.kill();
    const sink = await startSink(port);
    await startCollector({ configs, env: first.env });
    const arrived = await until("all arrive", async () => {
      const requests = sink.written();
      return requests.length >= 200 && requests;
    });
    expect(arrived.flatMap(spansOf).filter(({ status }) => status === "ERROR")).toHaveLength(200);
  });
});
