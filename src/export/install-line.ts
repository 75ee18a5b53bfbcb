import * as api from "@opentelemetry/api";

/** The 3.x line of the SDK needs it. */
const NODE_OF_3X = [22, 15] as const;

/**
 * The one command that installs a set of SDK packages which fits this Node and the API that is installed. Without pinned
 * versions npm mixes the lines, which refuse each other.
 */
export function installLine(node: string = process.versions.node, hasLogsApi = "logs" in api): string {
  // Only the API of the 3.x line (1.10) has logs.
  return `npm install ${(hasLogsApi && runs3x(node) ? LINE_3X : LINE_2X).join(" ")}`;
}

function runs3x(node: string): boolean {
  const [major = 0, minor = 0] = node.split(".").map(Number);
  return major > NODE_OF_3X[0] || (major === NODE_OF_3X[0] && minor >= NODE_OF_3X[1]);
}

const LINE_2X = [
  "@opentelemetry/api@~1.9.1",
  "@opentelemetry/sdk-trace-node@^2.12.1",
  "@opentelemetry/exporter-trace-otlp-http@^0.223.1",
  "@opentelemetry/sdk-metrics@^2.12.1",
  "@opentelemetry/exporter-metrics-otlp-http@^0.223.0",
  "@opentelemetry/resources@^2.12.1",
];

const LINE_3X = [
  "@opentelemetry/api@~1.10.0",
  "@opentelemetry/sdk-trace@^3.1.1",
  "@opentelemetry/exporter-trace-otlp-http@^0.301.0",
  "@opentelemetry/sdk-metrics@^3.1.1",
  "@opentelemetry/exporter-metrics-otlp-http@^0.301.0",
  "@opentelemetry/resources@^3.1.1",
  "@opentelemetry/context-async-hooks@^3.1.1",
  "@opentelemetry/core@^3.1.0",
];
