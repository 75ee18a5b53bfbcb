import type { SpanLimits } from "@opentelemetry/sdk-trace";
import type { Environment } from "./environment.ts";
import { numberFrom } from "./environment.ts";

/** The variables of each limit; the first that is set wins. The 3.x SDK reads none of them itself. */
const VARIABLES: Readonly<Record<keyof SpanLimits, readonly string[]>> = {
  attributeValueLengthLimit: ["OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT", "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT"],
  attributeCountLimit: ["OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", "OTEL_ATTRIBUTE_COUNT_LIMIT"],
  eventCountLimit: ["OTEL_SPAN_EVENT_COUNT_LIMIT"],
  linkCountLimit: ["OTEL_SPAN_LINK_COUNT_LIMIT"],
  attributePerEventCountLimit: ["OTEL_EVENT_ATTRIBUTE_COUNT_LIMIT", "OTEL_SPAN_ATTRIBUTE_PER_EVENT_COUNT_LIMIT"],
  attributePerLinkCountLimit: ["OTEL_LINK_ATTRIBUTE_COUNT_LIMIT", "OTEL_SPAN_ATTRIBUTE_PER_LINK_COUNT_LIMIT"],
};

/** Those limits that the environment sets; the SDK has the standard's defaults for the others. */
export function spanLimitsFrom(environment: Environment): SpanLimits {
  return Object.fromEntries(
    Object.entries(VARIABLES).flatMap(([limit, names]) => {
      const value = numberFrom(environment, names, 0);
      return value === undefined ? [] : [[limit, value]];
    }),
  );
}
