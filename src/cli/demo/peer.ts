import type { Frameworks } from "./frameworks.ts";

/** Another tracer of the same run, attached as its README says. */
export interface Peer {
  /** Sends what it has and stops. */
  shutdown(): Promise<void>;
}

/**
 * Attaches OpenInference's LangChain instrumentation with a provider and an exporter of its own: it shares nothing with
 * `toolspan` but the run it watches.
 *
 * @param endpoint base URL of an OTLP/HTTP receiver
 */
export async function attachPeer(frameworks: Frameworks, serviceName: string, endpoint: string): Promise<Peer> {
  const [{ LangChainInstrumentation }, { loadSdk }] = await Promise.all([
    import("@arizeai/openinference-instrumentation-langchain"),
    import("../../export/sdk.ts"),
  ]);
  const { traces, traceExporter, resources } = await loadSdk();
  const exporter = new traceExporter.OTLPTraceExporter({ url: `${endpoint}/v1/traces` });
  const tracerProvider = traces.createTracerProvider({
    resource: resources.resourceFromAttributes({ "service.name": serviceName }),
    spanProcessors: [traces.createBatchSpanProcessor({ exporter })],
  });
  const instrumentation = new LangChainInstrumentation({ tracerProvider });
  instrumentation.manuallyInstrument(frameworks.callbackManagerModule);
  return { shutdown: () => tracerProvider.shutdown() };
}
