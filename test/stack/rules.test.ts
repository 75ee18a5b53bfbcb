import { describe, expect, it } from "vitest";
import type { Change } from "./support/promtool.ts";
import { promtool, ruleTests, runRuleTest } from "./support/promtool.ts";

const counts = ruleTests("counts.test.yml");
const alerts = ruleTests("alerts.test.yml");

it("Prometheus takes its configuration and both rule files", async () => {
  expect(await promtool("check", "config", "collector-config/prometheus/prometheus.yml")).toBe("");
});

describe.concurrent("counts", () => {
  it.each(counts)("$name", async (test) => expect(await runRuleTest(test)).toBe(""));
});

describe.concurrent("alerts", () => {
  it.each(alerts)("$name", async (test) => expect(await runRuleTest(test)).toBe(""));
});

const inCounts = (from: string, to = ""): Change => ({ rules: "recording-rules.yml", from, to });
const inAlerts = (from: string, to = ""): Change => ({ rules: "alert-rules.yml", from, to });

/** A fault in the rules, and the test that must see it. */
const faults: readonly { readonly fault: string; readonly change: Change; readonly seenBy: string }[] = [
  {
    fault: "a new series is no news",
    change: inCounts(") or last_over_time(spans:tool_calls:reading[1s])", ")"),
    seenBy: "the first failure counts, whether its series begins at 1 or at 0",
  },
  {
    fault: "a counter that falls counts backwards",
    change: inCounts(") >= 0", ")"),
    seenBy: "a process that restarts under the same labels makes no spike and loses nothing",
  },
  {
    fault: "the reading before is that of the last evaluation",
    change: inCounts(
      "last_over_time(spans:tool_calls:reading[6h] offset 1s)",
      "last_over_time(spans:tool_calls:reading[20s] offset 1s)",
    ),
    seenBy: "a target that was out of reach comes back without being counted again",
  },
  {
    fault: "sum by is dropped",
    change: inCounts(
      "sum by (service_name, gen_ai_agent_name, gen_ai_tool_name, error_type, toolspan_outcome, toolspan_recovered, toolspan_repaired) (",
      "(",
    ),
    seenBy: "both sources have the same labels, and each counts the calls by itself",
  },
  {
    fault: "the service of the library's histogram is left as its job",
    change: inCounts('"(?:.*/)?([^/]+)"', '"(.*)"'),
    seenBy: "both sources have the same labels, and each counts the calls by itself",
  },
  {
    fault: "spans of any operation count",
    change: inCounts(
      'traces_span_metrics_calls_total{gen_ai_operation_name="execute_tool", ',
      "traces_span_metrics_calls_total{",
    ),
    seenBy: "agents, model calls, and an MCP client's span of the same call are no tool calls",
  },
  {
    fault: "spans of any kind count",
    change: inCounts(
      'traces_span_metrics_calls_total{gen_ai_operation_name="execute_tool", span_kind="SPAN_KIND_INTERNAL"}',
      'traces_span_metrics_calls_total{gen_ai_operation_name="execute_tool"}',
    ),
    seenBy: "agents, model calls, and an MCP client's span of the same call are no tool calls",
  },
  {
    fault: "failed is what has an error.type",
    change: inCounts('spans:tool_calls:new{status_code="STATUS_CODE_ERROR"}', 'spans:tool_calls:new{error_type!=""}'),
    seenBy: "failed means the red mark, whatever a tracer wrote beside it",
  },
  {
    fault: "an agent that made all good stands on failures",
    change: inCounts('toolspan_unrecovered_tool_calls!~"0?"', 'toolspan_unrecovered_tool_calls!=""'),
    seenBy: "agents whose answers stand on failures",
  },
  {
    fault: "quantiles in the source's own unit",
    change: inCounts("vector(0.001)", "vector(1)"),
    seenBy: "quantiles from one call on, in seconds from both sources",
  },
  {
    fault: "both sources are believed",
    change: inAlerts("\n            and on (source, service_name) service:tool_calls:source"),
    seenBy: "a service that both sources count alerts once, and by its spans; one that has no spans by its histogram",
  },
  {
    fault: "one bad call alerts",
    change: inAlerts(" > 0.2 and tool:failed_calls:count10m >= 3", " > 0.2"),
    seenBy: "a tool that fails a quarter of its calls, and one bad call of a quiet tool",
  },
  {
    fault: "a tool that has come back well still counts as always failing",
    change: inAlerts("tool:failed_calls:count10m == tool:calls:count10m and", "tool:failed_calls:count10m > 0 and"),
    seenBy: "a tool that fails every time",
  },
  {
    fault: "a red mark that the repair lifted counts as hidden",
    change: inAlerts('failed="true", toolspan_repaired="true"', 'toolspan_repaired="true"'),
    seenBy: "a failure that the repair made visible",
  },
  {
    fault: "a service that sleeps alerts",
    change: inAlerts(
      "sum by (source, service_name) (sum_over_time(tool:calls:new[2h])) > 0 and service:tool_calls:source",
      "service:tool_calls:source",
    ),
    seenBy: "a tool that is no longer called while others are, and a service that sleeps",
  },
];

describe.concurrent("a fault in the rules is seen", () => {
  it.each(faults)("$fault", async ({ change, seenBy }) => {
    const test = [...counts, ...alerts].find(({ name }) => name === seenBy);
    if (!test) throw new Error(`no test is named "${seenBy}"`);
    expect(await runRuleTest(test, change)).toContain("FAILED");
  });
});
