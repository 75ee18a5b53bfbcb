/** Spans kept in memory and written as OTLP/JSON, as an exporter would send them. */
import { JsonTraceSerializer } from "@opentelemetry/otlp-transformer";
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";

export function recorder() {
  const exporter = new InMemorySpanExporter();
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  provider.register();
  return {
    provider,
    /** All spans since the last time, as one request line that says which scenario it is. The machine's paths are taken out. */
    async flushLine(scenario) {
      await provider.forceFlush();
      const request = JSON.parse(
        new TextDecoder().decode(JsonTraceSerializer.serializeRequest(exporter.getFinishedSpans())),
      );
      exporter.reset();
      const attribute = { key: "recorded.scenario", value: { stringValue: scenario } };
      for (const resourceSpans of request.resourceSpans) resourceSpans.resource = { attributes: [attribute] };
      return JSON.stringify(request)
        .replaceAll(/(file:\/\/)?\/[\w./-]*?\/node_modules\//g, "/app/node_modules/")
        .replaceAll(new RegExp(`(file://)?${process.cwd()}`, "g"), "/app");
    },
  };
}
