/**
 * Names of the OpenTelemetry GenAI conventions (v0.1.0, Development), kept here because the conventions package marks its
 * own copies as moved, and our own names.
 */
export const EXECUTE_TOOL = "execute_tool";

export const ATTR_OPERATION_NAME = "gen_ai.operation.name";
export const ATTR_TOOL_NAME = "gen_ai.tool.name";
export const ATTR_TOOL_TYPE = "gen_ai.tool.type";
export const ATTR_TOOL_DESCRIPTION = "gen_ai.tool.description";
export const ATTR_TOOL_CALL_ID = "gen_ai.tool.call.id";
export const ATTR_TOOL_CALL_ARGUMENTS = "gen_ai.tool.call.arguments";
export const ATTR_TOOL_CALL_RESULT = "gen_ai.tool.call.result";
export const ATTR_AGENT_NAME = "gen_ai.agent.name";
export const ATTR_ERROR_TYPE = "error.type";
export const ATTR_EXCEPTION_TYPE = "exception.type";
export const ATTR_EXCEPTION_MESSAGE = "exception.message";
export const ATTR_EXCEPTION_STACKTRACE = "exception.stacktrace";
export const EXCEPTION_EVENT = "exception";
/** The name the GenAI conventions give the exception where it is a log record. */
export const EXCEPTION_LOG = "gen_ai.execute_tool.exception";

/** What the run's end meant; on every span and metric point. */
export const ATTR_OUTCOME = "toolspan.outcome";
/** True where the model got the failure as the tool's answer. */
export const ATTR_HANDLED = "toolspan.handled";

export const METRIC_EXECUTE_TOOL_DURATION = "gen_ai.execute_tool.duration";
/** Seconds; the convention's buckets. */
export const DURATION_BUCKETS = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];

/** The name of a tool of which nothing is known but that it ran. */
export const UNNAMED_TOOL = "unnamed_tool";
