import { grouped } from "./grouped.ts";
import type { Judged } from "./judge.ts";

/** The table of the README: a line for each tracer, then what cannot be known and why. */
export function repairTable(judged: readonly Judged[]): string {
  const rows = grouped(judged, ({ tracer }) => tracer).map(([tracer, ofTracer]) => {
    const count = (key: "rightBefore" | "rightAfter"): number => ofTracer.filter((one) => one[key]).length;
    return `| ${tracer} | ${count("rightBefore")} | ${count("rightAfter")} | ${ofTracer.length} |`;
  });
  const unknown = judged.filter(({ rightAfter }) => !rightAfter);
  const reasons = grouped(unknown, ({ reason }) => reason ?? "missed").map(([reason, ofReason]) => {
    const tracers = grouped(ofReason, ({ tracer }) => tracer).map(([tracer, { length }]) => `${tracer} ${length}`);
    return `| ${reason} | ${tracers.join(", ")} |`;
  });
  return [
    "| tracer | right before | right after | of |",
    "|---|---|---|---|",
    ...rows,
    "",
    "| what nothing in the span tells | tracer and number |",
    "|---|---|",
    ...reasons,
  ].join("\n");
}
