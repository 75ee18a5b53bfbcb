/** An application that has set OpenTelemetry up already: nothing but the handler is needed. */
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node";

new NodeTracerProvider().register();

// #region readme
import { ToolspanHandler } from "toolspan/langchain";

const toolspan = new ToolspanHandler({
  attributes: () => ({ "session.id": "s-1" }), // on each span; never on metrics
  errorOutcomes: ["denied"], // show a denied call as an error
  captureContent: { arguments: true }, // secrets in it are masked
});
// #endregion

export { toolspan };
