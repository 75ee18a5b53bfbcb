import { describe, expect, it } from "vitest";
import { renderTable } from "../../../src/cli/demo/render-table.ts";
import type { DemoReport, ToolRow } from "../../../src/cli/demo/report.ts";

const row = (fields: Partial<ToolRow>): ToolRow => ({
  tool: "send_tickets",
  calls: 2,
  failed: 1,
  recovered: 0,
  byErrorType: { MailError: 1 },
  stops: { interrupted: 1 },
  peer: { calls: 2, failed: 1, missed: 0, unseen: 3, falseAlarms: 0 },
  ...fields,
});

function rendered(tool: Partial<ToolRow>, width: number): readonly string[] {
  const report: DemoReport = {
    traces: [],
    runs: new Map(),
    agents: new Map(),
    modelCalls: new Map(),
    tools: [row(tool)],
    peer: { name: "peer", version: "1" },
    faults: [],
  };
  return renderTable(report, width, (_style, text) => text);
}

const words = (line: string | undefined): string => (line ?? "").trim().replace(/ +/g, " ");

describe("the table", () => {
  it("has a column for what a retry made good, and none where there is nothing", () => {
    expect(rendered({ recovered: 1 }, 100).slice(1).map(words)).toEqual([
      "tool calls failed recovered by error.type stopped failed missed unseen false",
      "send_tickets 2 1 1 MailError 1 interrupted 1 1 - 3 -",
      "total 2 1 1 1 0 3 0",
    ]);
    expect(words(rendered({}, 100)[1])).toBe("tool calls failed by error.type stopped failed missed unseen false");
  });

  it.each([80, 99, 100, 120])("keeps to %i columns, and cuts no word that it has", (width) => {
    const lines = rendered({ recovered: 1 }, width);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
    expect(lines.join("\n")).not.toContain("…");
    expect(lines[2]).toContain("interrupted 1");
    expect(lines[1]?.includes("by error.type")).toBe(width >= 100);
  });
});
