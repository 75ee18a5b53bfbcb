import { beforeAll, describe, expect, it } from "vitest";
import { buildCommand } from "../support/built-command.ts";
import type { BackEnd } from "./support/back-end.ts";
import { startBackEnd } from "./support/back-end.ts";
import { dashboardQueries, filled } from "./support/dashboard.ts";
import type { Demo, DemoSpan, ToolSpan } from "./support/demo.ts";
import { allSpans, playDemo, toolSpans } from "./support/demo.ts";
import { expectedPanels } from "./support/expected-panels.ts";
import { startJaeger } from "./support/jaeger.ts";
import type { JaegerSpan } from "./support/jaeger-query.ts";
import { monitorDurations, monitorErrorRates, searchTraces } from "./support/jaeger-query.ts";
import { until } from "./support/until.ts";

const SERVICE = "travel-desk";
/** The demo is played twice: the first play begins every series, the second adds to them. */
const PLAYS = 2;

let backEnd: BackEnd;
const demos: Demo[] = [];

beforeAll(async () => {
  buildCommand();
  backEnd = await startBackEnd();
  for (let play = 1; play <= PLAYS; play += 1) {
    const demo = await playDemo(backEnd.collector.otlpHttp);
    demos.push(demo);
    await until(
      `play ${play} is counted`,
      async () => {
        const counts = await backEnd.prometheus.query("sum by (source) (sum_over_time(tool:calls:new[1h]))");
        return counts.length === 2 && counts.every(({ value }) => value === toolSpans(demo).length * play);
      },
      120,
    );
  }
}, 400_000);

const isRed = ({ status }: DemoSpan): boolean => status === "ERROR";
const played = (): readonly ToolSpan[] => demos.flatMap(toolSpans);
const tracesWith = (demo: Demo, isSought: (span: DemoSpan) => boolean): readonly string[] =>
  demo.traces.filter((trace) => allSpans([trace]).some(isSought)).map(({ traceId }) => traceId);

describe("Jaeger", () => {
  it("has every trace of the demo whole: the tree, and the red mark on the failed tools alone", async () => {
    const found = await searchTraces(backEnd.jaeger.query, SERVICE);
    const expected = demos.flatMap(({ traces }) => traces.map((trace) => [trace.traceId, drawn([trace])]));
    expect(Object.fromEntries([...found].map(([id, spans]) => [id, lines(spans)]))).toEqual(
      Object.fromEntries(expected),
    );
  });

  it.each<[string, Record<string, string>, (span: DemoSpan) => boolean]>([
    ["error=true", { error: "true" }, isRed],
    ["a tool", { "gen_ai.tool.name": "hold_seat" }, ({ tool }) => tool === "hold_seat"],
    [
      "a tool's failures",
      { "gen_ai.tool.name": "hold_seat", error: "true" },
      ({ tool, status }) => tool === "hold_seat" && status === "ERROR",
    ],
    ["error.type", { "error.type": "timeout" }, ({ errorType }) => errorType === "timeout"],
    ["an outcome", { "toolspan.outcome": "denied" }, ({ outcome }) => outcome === "denied"],
  ])("finds by %s", async (_, tags, isSought) => {
    const expected = demos.flatMap((demo) => tracesWith(demo, isSought));
    expect(expected.length).toBeGreaterThan(0);
    expect([...(await searchTraces(backEnd.jaeger.query, SERVICE, tags)).keys()].toSorted()).toEqual(
      expected.toSorted(),
    );
  });

  it("shows in the Monitor tab, for spans of kind Internal, the error rate of each tool that fails", async () => {
    const failing = [
      ...new Set(
        played()
          .filter(isRed)
          .map(({ name }) => name),
      ),
    ];
    const expected = failing.map((name) => {
      const calls = played().filter((span) => span.name === name);
      return [name, expect.closeTo(calls.filter(isRed).length / calls.length, 2)];
    });
    const rates = await until("rates of all that fail", async () => {
      const found = await monitorErrorRates(backEnd.jaeger.query, SERVICE);
      return failing.every((name) => found.has(name)) && found;
    });
    expect(Object.fromEntries(rates)).toEqual(Object.fromEntries(expected));
  });

  it.each(["normalize_calls", "normalize_duration"])("shows nothing of it there without %s", async (setting) => {
    const span_metrics = { prometheus: { [setting]: false } };
    const other = await startJaeger({
      config: "collector-config/jaeger.yaml",
      prometheus: backEnd.prometheus.url,
      override: { extensions: { jaeger_storage: { metric_backends: { span_metrics } } } },
    });
    const found = setting === "normalize_calls" ? monitorErrorRates : monitorDurations;
    expect([(await found(backEnd.jaeger.query, SERVICE)).size > 0, (await found(other.query, SERVICE)).size]).toEqual([
      true,
      0,
    ]);
  });

  it("has the trace of each dot on the dashboard's duration panel", async () => {
    const made = new Set(demos.flatMap(({ traces }) => traces.map(({ traceId }) => traceId)));
    const found = await until("exemplars", async () => {
      const dots = await backEnd.prometheus.exemplars(
        'traces_span_metrics_duration_milliseconds_bucket{gen_ai_operation_name="execute_tool"}',
      );
      return dots.length > 0 && dots;
    });
    expect(found.filter(({ trace_id: id = "" }) => !made.has(id))).toEqual([]);
  });
});

describe.each(["spans", "library"] as const)("the dashboard, counted from %s", (source) => {
  const queries = dashboardQueries("dashboards/tool-calls.json");
  const ask = async (expr: string): Promise<Record<string, number>> => {
    const variables = { source, service: SERVICE, tool: ".*", __range: "1h", __interval: "1h" };
    const samples = await backEnd.prometheus.query(filled(expr, variables));
    return Object.fromEntries(samples.map(({ labels, value }) => [Object.values(labels).join("/"), value]));
  };

  it.each(queries.filter(({ name }) => !isDuration(name)))("$name", async ({ name, expr }) => {
    const expected = expectedPanels(demos[0]!, PLAYS, source).get(name);
    if (!expected) throw new Error(`nothing is known of "${name}"`);
    expect(await ask(expr)).toEqual(expected);
  });

  it.each(queries.filter(({ name }) => isDuration(name)))("$name", async ({ expr }) => {
    const values = Object.values(
      await until(expr, async () => {
        const answer = await ask(expr);
        return Object.keys(answer).length > 0 && answer;
      }),
    );
    const longest = Math.max(...played().map(({ durationMs }) => durationMs)) / 1000;
    // A quantile lies in a bucket, whose upper bound is at most twice the lower.
    for (const value of values) expect(value).toBeGreaterThan(0);
    for (const value of values) expect(value).toBeLessThan(longest * 2);
  });
});

const isDuration = (name: string): boolean => name === "Tools F" || name.startsWith("Duration of calls");

it("a tool that fails too often reaches the webhook, once", async () => {
  const messages = await until(
    "an alert",
    async () => {
      const found = backEnd.alerts.flatMap((body) => (body as { alerts: readonly Alert[] }).alerts);
      return found.length > 0 && found;
    },
    90,
  );
  const expected = {
    alertname: "ToolCallsFailing",
    service_name: SERVICE,
    gen_ai_tool_name: "search_flights",
    source: "spans",
  };
  const ofTool = messages.filter(({ labels }) => labels["gen_ai_tool_name"] === "search_flights");
  expect(ofTool.map(({ labels }) => labels)).toEqual([expect.objectContaining(expected)]);
  expect(ofTool[0]!.annotations["summary"]).toBe("search_flights of travel-desk fails 50% of its calls");
});

interface Alert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** The demo's spans as lines: id, parent, name, red or not. */
function drawn(spans: readonly DemoSpan[]): readonly string[] {
  return allSpans(spans)
    .map(
      ({ spanId, parentSpanId, name, status }) =>
        `${spanId} ${parentSpanId} ${name}${status === "ERROR" ? " red" : ""}`,
    )
    .toSorted();
}

function lines(spans: readonly JaegerSpan[]): readonly string[] {
  return spans
    .map(
      ({ spanId, parentSpanId, name, tags }) =>
        `${spanId} ${parentSpanId} ${name}${tags["error"] === true ? " red" : ""}`,
    )
    .toSorted();
}
