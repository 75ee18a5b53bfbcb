import { setTimeout as sleep } from "node:timers/promises";
import type { Tracer } from "@opentelemetry/api";
import type { Frameworks } from "./frameworks.ts";

class RateFeedError extends Error {
  override readonly name = "RateFeedError";
}

/** A tool that makes a request, and throws. LangChain hands the error to the model as the tool's answer. */
export function convertMoney(frameworks: Frameworks, tracer: Tracer) {
  const { tool, z } = frameworks;
  return tool(
    async ({ amount, to, rates }) => {
      const status = await requestRates(rates, frameworks, tracer);
      if (status >= 400) throw new RateFeedError(`the rate feed answered ${status}`);
      return `${Math.round(amount * 160.2)} ${to}`;
    },
    {
      name: "convert_money",
      description: "Converts euros",
      schema: z.object({ amount: z.number(), to: z.string(), rates: z.enum(["live", "daily"]) }),
    },
  );
}

/** An HTTP client that is instrumented: its span is the child of whichever span is active, here the tool's. */
function requestRates(rates: string, { SpanKind, SpanStatusCode }: Frameworks, tracer: Tracer): Promise<number> {
  return tracer.startActiveSpan(`GET /rates/${rates}`, { kind: SpanKind.CLIENT }, async (span) => {
    await sleep(20);
    const status = rates === "live" ? 503 : 200;
    span.setAttribute("http.response.status_code", status);
    if (status >= 400) span.setAttribute("error.type", String(status)).setStatus({ code: SpanStatusCode.ERROR });
    span.end();
    return status;
  });
}
