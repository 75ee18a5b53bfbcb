import type { Demo, ToolSpan } from "./demo.ts";
import { allSpans, toolSpans } from "./demo.ts";
import type { Source } from "./dashboard.ts";

/** Values by label values, joined by a slash; a value without labels has the key "". */
export type Panel = Readonly<Record<string, number>>;

const STOPS = new Set(["cancelled", "denied", "interrupted", "handoff", "abandoned"]);

/** What each query of dashboards/tool-calls.json must answer after the demo was played so often, told from what the demo itself made. */
export function expectedPanels(demo: Demo, times: number, source: Source): ReadonlyMap<string, Panel> {
  const service = "travel-desk";
  const spans = toolSpans(demo);
  // The histogram has no point for a call that was answered well without a run.
  const calls = source === "spans" ? spans : spans.filter(({ executed, outcome }) => executed || outcome !== "ok");
  const failed = calls.filter(({ status }) => status === "ERROR");
  const recovered = failed.filter((span) => span.recovered);
  const stopped = calls.filter(({ status, outcome }) => status !== "ERROR" && STOPS.has(outcome));
  const agents = allSpans(demo.traces).filter(({ name }) => name.startsWith("invoke_agent"));

  const all = (some: readonly unknown[]): Panel => ({ "": some.length * times });
  const by = <T>(some: readonly T[], key: (one: T) => string, every: readonly T[] = some): Panel =>
    Object.fromEntries(
      [...new Set(every.map(key))].map((name) => [name, some.filter((one) => key(one) === name).length * times]),
    );
  const tool = (span: ToolSpan): string => span.tool;
  const row = (span: ToolSpan): string => `${span.tool}/${service}`;
  const ratio = (key: (span: ToolSpan) => string): Panel => {
    const [parts, wholes] = [by(failed, key, calls), by(calls, key)];
    return Object.fromEntries(Object.entries(wholes).map(([name, whole]) => [name, (parts[name] ?? 0) / whole]));
  };
  const agent = ({ agent: name }: { readonly agent?: string }): string => `${name}/${service}`;
  return new Map<string, Panel>([
    ["Calls A", all(calls)],
    ["Failed calls A", all(failed)],
    ["Failure ratio A", { "": failed.length / calls.length }],
    ["Recovered by a retry A", all(recovered)],
    ["Stopped A", all(stopped)],
    ["Hidden by the tracer A", { "": 0 }],
    ["Calls by tool A", by(calls, tool)],
    ["Failed calls by tool A", by(failed, tool)],
    ["Failed calls by error.type A", by(failed, ({ errorType }) => errorType ?? "not told")],
    ["Failed calls by agent A", by(failed, (span) => span.ofAgent ?? "not told")],
    ["Stopped calls by outcome A", by(stopped, ({ outcome }) => outcome)],
    ["Failed runs, recovered and not A", all(recovered)],
    ["Failed runs, recovered and not B", all(failed.filter((span) => !span.recovered))],
    ["Tools A", by(calls, row)],
    ["Tools B", by(failed, row, calls)],
    ["Tools C", ratio(row)],
    ["Tools D", by(recovered, row, calls)],
    ["Tools E", by(stopped, row, calls)],
    ["Agents whose answers stand on failures A", by(agents, agent)],
    [
      "Agents whose answers stand on failures B",
      by(
        agents.filter((run) => (run.unrecoveredToolCalls ?? 0) > 0),
        agent,
        agents,
      ),
    ],
    ["Failure ratio by tool A", ratio(tool)],
  ]);
}
