import { startReceiver } from "../receiver/receiver.ts";
import type { Destination } from "./environment.ts";
import { startForwarder } from "./forwarder.ts";
import { loadFrameworks } from "./frameworks.ts";
import { attachPeer } from "./peer.ts";
import type { DemoReport } from "./report.ts";
import { buildReport } from "./report.ts";
import { scenarios } from "./scenarios.ts";
import { runTravelDesk } from "./travel-desk.ts";

const SERVICE_NAME = "travel-desk";

/**
 * Runs the agent once under both tracers and reads what their receivers got.
 *
 * @param destinations where our spans and metrics go as well; one that is dead costs no more than its time limit
 */
export async function playDemo(
  destinations: readonly Destination[],
): Promise<{ readonly report: DemoReport; readonly undelivered: readonly string[] }> {
  // By now the command knows where the packages are; neither these nor what they import may be loaded before.
  const [{ instrumentLangChain, ToolspanHandler }, { startTracing }, frameworks] = await Promise.all([
    import("../../adapters/langchain.ts"),
    import("../../export/node.ts"),
    loadFrameworks(),
  ]);
  const [receiver, peerReceiver] = await Promise.all([startReceiver(), startReceiver()]);
  const forwarder = await startForwarder(receiver.endpoint, destinations);
  try {
    const tracing = await startTracing({ serviceName: SERVICE_NAME, endpoint: forwarder.endpoint });
    const peer = await attachPeer(frameworks, SERVICE_NAME, peerReceiver.endpoint);
    const tracer = tracing.tracerProvider.getTracer("travel-desk");
    const unwrap = instrumentLangChain(frameworks.toolsModule);
    await runTravelDesk(frameworks, scenarios, tracer, new ToolspanHandler()).finally(unwrap);
    await Promise.all([tracing.shutdown(), peer.shutdown()]);
    return { report: buildReport(receiver, peerReceiver.spans), undelivered: await forwarder.settle() };
  } finally {
    await Promise.all([forwarder.close(), receiver.close(), peerReceiver.close()]);
  }
}
