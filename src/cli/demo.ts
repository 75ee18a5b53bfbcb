import { dirname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { clearTracingSettings, readDestinations } from "./demo/environment.ts";
import { installLine, missingPackages } from "./demo/packages.ts";
import { playDemo } from "./demo/play.ts";
import { renderReport } from "./demo/render-report.ts";
import { reportJson } from "./demo/report-json.ts";
import type { Io } from "./io.ts";
import { createPaint } from "./paint.ts";
import { parseOptions } from "./parse-options.ts";
import { resolveFrom } from "./resolve-from.ts";

export const DEMO_HELP = `Usage: toolspan demo [--json]

Plays a travel desk agent (real LangChain.js, a scripted model, no network) whose tools fail in every way, and shows the
traces and the counts that arrived by OTLP/HTTP, beside those of a tracer that takes every returned value for a success.

Options:
  --json       the result as JSON, and nothing else, on stdout
  -h, --help   this text

Environment:
  OTEL_EXPORTER_OTLP_ENDPOINT   the same spans and metrics go there as well
  NO_COLOR, FORCE_COLOR         no colours; colours wherever the output goes
`;

const HINT = "Set OTEL_EXPORTER_OTLP_ENDPOINT, and the same goes to your Collector or Jaeger.";
const DEFAULT_COLUMNS = 100;

export async function demo(args: readonly string[], io: Io): Promise<number> {
  const { json } = parseOptions("demo", args, { json: { type: "boolean" } });
  const missing = findPackages(io.cwd);
  if (missing.length > 0) {
    io.stderr.write(`toolspan demo plays frameworks that are not installed here. Install them with:\n\n`);
    io.stderr.write(`  ${installLine(missing)}\n\n`);
    return 2;
  }
  const destinations = readDestinations(io.env);
  clearTracingSettings(io.env);
  const { report, undelivered } = await playDemo(destinations);
  const sentTo = destinations.map(({ url }) => url);
  if (json) {
    io.stdout.write(reportJson(report, sentTo));
  } else {
    const paint = createPaint(io.env, io.stdout.isTTY === true);
    io.stdout.write(renderReport(report, io.stdout.columns ?? DEFAULT_COLUMNS, paint));
    io.stdout.write(`\n${sentTo.length > 0 ? sentLine(sentTo) : paint("dim", HINT)}\n`);
  }
  for (const line of undelivered) io.stderr.write(`toolspan: ${line}\n`);
  return report.faults.length === 0 ? 0 : 1;
}

function sentLine(urls: readonly string[]): string {
  return `The same spans and metrics were sent to ${urls.join(" and ")}`;
}

/** Looks where the command is installed, then where the user is. @returns what is missing in both */
function findPackages(cwd: string): readonly string[] {
  const here = dirname(fileURLToPath(import.meta.url));
  if (missingPackages(here).length === 0) return [];
  const missing = missingPackages(cwd);
  if (missing.length === 0) resolveFrom(new URL("..", import.meta.url).href, pathToFileURL(`${cwd}/module.js`).href);
  return missing;
}
