import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/** What the demo plays, at the versions it was tried with; a test compares them with package.json. */
export const DEMO_PACKAGES: Readonly<Record<string, string>> = {
  langchain: "1.5.14",
  "@langchain/core": "1.4.0",
  "@langchain/langgraph": "1.7.3",
  "@langchain/mcp-adapters": "1.1.4",
  "@modelcontextprotocol/sdk": "1.32.2",
  zod: "4.6.7",
  "@arizeai/openinference-instrumentation-langchain": "4.1.1",
  "@opentelemetry/api": "1.9.1",
  "@opentelemetry/resources": "2.12.1",
  "@opentelemetry/sdk-metrics": "2.12.1",
  "@opentelemetry/sdk-trace-node": "2.12.1",
  "@opentelemetry/exporter-metrics-otlp-http": "0.223.0",
  "@opentelemetry/exporter-trace-otlp-http": "0.223.1",
};

/** On the 3.x line of OpenTelemetry's SDK one package has another name. */
const NAME_IN_3X: Readonly<Record<string, string>> = { "@opentelemetry/sdk-trace-node": "@opentelemetry/sdk-trace" };

/** The packages of the demo that a module in a folder could not import. */
export function missingPackages(folder: string): readonly string[] {
  const { resolve } = createRequire(join(folder, "module.js"));
  const isInstalled = (name: string): boolean =>
    (resolve.paths(name) ?? []).some((modules) => existsSync(join(modules, name, "package.json")));
  return Object.keys(DEMO_PACKAGES).filter((name) => !isInstalled(name) && !isInstalled(NAME_IN_3X[name] ?? name));
}

/** The one line that installs them. */
export function installLine(names: readonly string[]): string {
  return `npm install --save-dev ${names.map((name) => `${name}@${DEMO_PACKAGES[name]}`).join(" ")}`;
}
