import type { Attributes, Span } from "@opentelemetry/api";
import * as api from "@opentelemetry/api";
import type { CallFacts } from "../core/call.ts";
import { errorName } from "../core/describe-error.ts";
import { cutText } from "../core/one-line.ts";
import { readText } from "../core/read.ts";
import { SCOPE_NAME, SCOPE_VERSION } from "../version.ts";
import { maskSecrets } from "./content.ts";
import * as conventions from "./conventions.ts";
import type { Settings } from "./options.ts";

const MOST_STACK = 8192;

/**
 * Records what was really thrown. A span event by default; a log record instead, or as well, where
 * `OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN` asks for it (semantic conventions, exceptions on logs) and the API has logs.
 */
export function recordException(
  span: Span,
  message: string,
  error: unknown,
  call: CallFacts,
  settings: Settings,
): void {
  const attributes: Attributes = {
    [conventions.ATTR_EXCEPTION_TYPE]: errorName(error) ?? typeof error,
    [conventions.ATTR_EXCEPTION_MESSAGE]: message,
  };
  const stack = settings.errorMessages === "stack" ? readText(error, "stack") : undefined;
  if (stack) attributes[conventions.ATTR_EXCEPTION_STACKTRACE] = cutText(maskSecrets(stack, call.args), MOST_STACK);
  const logged = settings.exceptionSignal !== "events" && emitLog(span, attributes);
  if (!logged || settings.exceptionSignal === "both") span.addEvent(conventions.EXCEPTION_EVENT, attributes);
}

interface LogsApi {
  getLogger(name: string, version: string): { emit(record: object): void };
}

/** `SeverityNumber.WARN` of the logs data model. */
const SEVERITY_WARN = 13;

/** @returns whether there was a logs API to take it: `@opentelemetry/api` has one from 1.10 on */
function emitLog(span: Span, attributes: Attributes): boolean {
  const { logs } = api as { readonly logs?: LogsApi };
  if (!logs) return false;
  logs.getLogger(SCOPE_NAME, SCOPE_VERSION).emit({
    eventName: conventions.EXCEPTION_LOG,
    severityNumber: SEVERITY_WARN,
    severityText: "WARN",
    attributes,
    context: api.trace.setSpan(api.context.active(), span),
  });
  return true;
}
