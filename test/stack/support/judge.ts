import { grouped } from "./grouped.ts";
import type { Span } from "./otlp.ts";
import type { Verdict } from "./recordings.ts";
import { isToolSpan, scenarioOf } from "./recordings.ts";

/** A span as the tracer wrote it, and as the Collector sent it on. */
export interface Passed {
  readonly tracer: string;
  readonly before: Span;
  readonly after: Span;
}

/** What went in beside what came out. */
export function pairs(tracer: string, before: readonly Span[], after: readonly Span[]): readonly Passed[] {
  return before.flatMap((span, index) => {
    const passed = after[index];
    return passed ? [{ tracer, before: span, after: passed }] : [];
  });
}

/** A scenario of one tracer, with its verdict: right or wrong before and after, and why it is still wrong. */
export interface Judged {
  readonly tracer: string;
  readonly scenario: string;
  readonly rightBefore: boolean;
  readonly rightAfter: boolean;
  readonly reason: string | undefined;
}

/** Two tools of one scenario: the call that fails and the one that does not. */
const PARALLEL: Readonly<Record<string, Verdict>> = {
  tn_parallel_bad: { truth: "error", fired: "tool_end(ToolMessage status=error)" },
  tn_parallel_good: { truth: "ok", fired: "tool_end(ToolMessage)" },
};

/**
 * Judges each scenario that has tool spans and a clear truth. Cancelled calls are left out: whether red is wrong for them is a choice which the
 * repair does not make. A scenario with several runs (an interrupt, and its resumption) is right if each run is.
 */
export function judge(passed: readonly Passed[], verdicts: Readonly<Record<string, Verdict>>): readonly Judged[] {
  const ofTools = passed.filter(({ before }) => isToolSpan(before));
  const byScenario = grouped(ofTools, ({ tracer, before }) => `${tracer}\n${scenarioOf(before)}`);
  return byScenario.flatMap(([, runs]) => {
    const [{ tracer, before }] = runs as [Passed];
    const scenario = scenarioOf(before);
    const verdict = PARALLEL[scenario] ?? verdicts[scenario];
    if (verdict === undefined || !["ok", "error", "not error"].includes(verdict.truth)) return [];
    const isRight = ({ status }: Span): boolean => (status === "ERROR") === (verdict.truth === "error");
    const rightAfter = runs.every((run) => isRight(run.after));
    const reason = rightAfter ? undefined : whyUnknown(tracer, before, verdict);
    return [{ tracer, scenario, rightBefore: runs.every((run) => isRight(run.before)), rightAfter, reason }];
  });
}

/** What is no business of a repair: a span that was right and is not any more, or that is not a tool's and was changed. */
export function falsePositives(
  passed: readonly Passed[],
  verdicts: Readonly<Record<string, Verdict>>,
): readonly string[] {
  return passed.flatMap(({ tracer, before, after }) => {
    if (JSON.stringify(before) === JSON.stringify(after)) return [];
    const scenario = scenarioOf(before);
    const verdict = PARALLEL[scenario] ?? verdicts[scenario];
    const change = `${tracer} ${scenario}: ${before.status} to ${after.status}`;
    if (!isToolSpan(before)) return [`${change}, not a tool's span`];
    if (verdict === undefined) return [];
    return (after.status === "ERROR") === (verdict.truth === "error") ? [] : [change];
  });
}

/** Why nothing in this span tells that its call failed, or that it did not. Undefined where something does: then the repair has missed it. */
function whyUnknown(tracer: string, span: Span, { fired = "", truth }: Verdict): string | undefined {
  const text = RESULTS.map((key) => span.attributes[key]).find((value) => typeof value === "string");
  if (truth === "not error") return "control flow by a bare name, which any error may bear";
  if (tracer.endsWith(".no-content")) return "content capture is off";
  if (tracer.startsWith("openlit")) return "the tracer keeps no result";
  if (/^tool_end\((str|dict|NoneType)\)/.test(fired))
    return "handled in a call without an id: LangChain returns plain content";
  if (fired.startsWith("tool_end(") && /azure|genai/.test(tracer))
    return "the tracer keeps only the content of what came back";
  if (fired === "tool_end(ToolMessage)") return "the error handler itself answers with a success";
  if (/^(returned its own|raised, and answered)/.test(fired)) return "a result of the tool's own form";
  if (text !== undefined && /^[[{]/.test(text) && !isJson(text)) return "the result is cut";
  if (text !== undefined && text.split('"tool_call_id"').length > 2)
    return "several messages, and none says which is this call's";
  return undefined;
}

const RESULTS = [
  "output.value",
  "gen_ai.tool.call.result",
  "traceloop.entity.output",
  "gen_ai.completion",
  "langfuse.observation.output",
];

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
