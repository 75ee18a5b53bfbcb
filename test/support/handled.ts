import { ToolspanHandler, type ToolspanHandlerOptions } from "../../src/adapters/langchain.ts";
import { type Traced, traced } from "./traced.ts";

/** A LangChain handler with providers of its own. */
export interface Handled extends Traced {
  readonly handler: ToolspanHandler;
  readonly config: { readonly callbacks: ToolspanHandler[] };
}

export function handled(options: ToolspanHandlerOptions = {}, providers: Traced = traced()): Handled {
  const { tracerProvider, meterProvider } = providers;
  const handler = new ToolspanHandler({ tracerProvider, meterProvider, ...options });
  return { ...providers, handler, config: { callbacks: [handler] } };
}
