/** One export request as an application sends it: 1,000 spans, of which 300 are tool spans with results of 2 kB, half of them failed. */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";

export const SPANS = 1000;
const content = "The quota of this project is used up for today. ".repeat(42); // 2 kB

/** Recorded tool spans, one that failed and one that did not, whose short text becomes the long one. */
const tracers = [
  ["python/openinference-instrumentation-langchain", "te_true", "ok_text"],
  ["python/opentelemetry-instrumentation-langchain", "te_true", "ok_text"],
  ["python/langsmith-otel", "te_true", "ok_text"],
  ["js/ai-sdk-7-js", "fw_mcp_is_error", "fw_ok_mcp"],
].map(([file, failed, fine]) => [recorded(file, failed), recorded(file, fine)]);

function recorded(file, tool) {
  const lines = readFileSync(new URL(`../../test/stack/recordings/${file}.json`, import.meta.url), "utf8")
    .split("\n")
    .filter(Boolean);
  for (const { scopeSpans } of lines.flatMap((line) => JSON.parse(line).resourceSpans)) {
    for (const { scope, spans } of scopeSpans) {
      const span = spans.find(({ attributes = [] }) =>
        attributes.some(({ key, value }) => key.endsWith("tool.name") && value.stringValue === tool),
      );
      if (span === undefined) continue;
      const attributes = span.attributes.map(({ key, value }) => [
        key,
        value.stringValue?.replaceAll(/Search backend unavailable|quota exceeded|sunny(, 21C)?/g, content) ??
          value.boolValue ??
          Number(value.intValue ?? value.doubleValue),
      ]);
      return {
        scope: scope.name,
        name: span.name,
        status: span.status.code ?? 0,
        attributes: Object.fromEntries(attributes),
      };
    }
  }
  throw new Error(`no ${tool} in ${file}`);
}

const others = [
  [
    "chat scripted",
    {
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": "scripted",
      "gen_ai.usage.input_tokens": 812,
      "gen_ai.usage.output_tokens": 96,
    },
  ],
  [
    "POST",
    {
      "http.request.method": "POST",
      "server.address": "model.example",
      "http.response.status_code": 200,
      "url.full": "https://model.example/v1/chat",
    },
  ],
  [
    "invoke_agent desk",
    { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "desk", "gen_ai.conversation.id": "c-17" },
  ],
].map(([name, attributes]) => ({ scope: "app", name, status: 0, attributes }));

/**
 * The request's bytes, as OpenTelemetry's own exporter makes them.
 * @returns {Promise<Buffer>}
 */
export async function exportedBatch() {
  const spans = [];
  const keep = {
    export: (ended, done) => (spans.push(...ended), done({ code: 0 })),
    shutdown: async () => {},
    forceFlush: async () => {},
  };
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(keep)] });
  for (let index = 0; index < SPANS; index++) {
    const ofTool = tracers[Math.floor(index / 20) % tracers.length][index % 20 < 10 ? 0 : 1];
    const { scope, name, status, attributes } = index % 10 < 3 ? ofTool : others[index % others.length];
    const span = provider.getTracer(scope).startSpan(name, { attributes });
    span.setStatus({ code: status }).end();
  }
  await provider.forceFlush();
  return serialized(spans);
}

async function serialized(spans) {
  let body;
  const server = createServer((request, response) => {
    const parts = [];
    request
      .on("data", (part) => parts.push(part))
      .on("end", () => {
        body = Buffer.concat(parts);
        response.end();
      });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const exporter = new OTLPTraceExporter({ url: `http://127.0.0.1:${server.address().port}/v1/traces` });
  await new Promise((resolve, reject) =>
    exporter.export(spans, ({ code, error }) => (code === 0 ? resolve() : reject(error))),
  );
  server.close();
  server.closeAllConnections();
  return body;
}
