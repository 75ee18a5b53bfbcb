/** The asynchronous context of an application's request, and how much of it some code sees. */
import { AsyncLocalStorage } from "node:async_hooks";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import { context, createContextKey, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";

const requests = new AsyncLocalStorage<string>();
const KEY = createContextKey("tenant");
const SPAN = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331", traceFlags: 1 };
const active = trace.setSpanContext(ROOT_CONTEXT.setValue(KEY, "acme"), SPAN);

/** As an application's SDK does; where `toolspan/register` has done it already, this changes nothing. */
export function useContexts(): void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
}

export function inCallersContext<T>(body: () => T): T {
  return requests.run("request 1", () => context.with(active, body));
}

/** What code inside the request sees. Within a tool another span of the same trace may be active. */
export function seenContext(): string {
  const span = trace.getSpanContext(context.active());
  const seen = [requests.getStore(), context.active().getValue(KEY), span?.traceId === SPAN.traceId];
  return seen.every((one, index) => one === CALLERS[index])
    ? "in the caller's context"
    : `in another context: ${String(seen)}`;
}
const CALLERS = ["request 1", "acme", true];

/** What the caller's own code is to see, before, beside and after each call: exactly what it has set. */
export function isCallersContext(): boolean {
  const isRunless = AsyncLocalStorageProviderSingleton.getRunnableConfig() === undefined;
  return context.active() === active && requests.getStore() === "request 1" && isRunless;
}
