/**
 * Names of the OpenTelemetry GenAI conventions (v0.1.0, Development), kept here because the conventions package marks its
 * own copies as moved, and our own names.
 */
export const EXECUTE_TOOL = "execute_tool";
export const INVOKE_AGENT = "invoke_agent";
export const CHAT = "chat";

export const ATTR_OPERATION_NAME = "gen_ai.operation.name";
export const ATTR_TOOL_NAME = "gen_ai.tool.name";
export const ATTR_TOOL_TYPE = "gen_ai.tool.type";
export const ATTR_TOOL_DESCRIPTION = "gen_ai.tool.description";
export const ATTR_TOOL_CALL_ID = "gen_ai.tool.call.id";
export const ATTR_TOOL_CALL_ARGUMENTS = "gen_ai.tool.call.arguments";
export const ATTR_TOOL_CALL_RESULT = "gen_ai.tool.call.result";
export const ATTR_AGENT_NAME = "gen_ai.agent.name";
export const ATTR_CONVERSATION_ID = "gen_ai.conversation.id";
export const ATTR_PROVIDER_NAME = "gen_ai.provider.name";
export const ATTR_REQUEST_MODEL = "gen_ai.request.model";
export const ATTR_RESPONSE_MODEL = "gen_ai.response.model";
export const ATTR_RESPONSE_ID = "gen_ai.response.id";
export const ATTR_FINISH_REASONS = "gen_ai.response.finish_reasons";
export const ATTR_INPUT_TOKENS = "gen_ai.usage.input_tokens";
export const ATTR_OUTPUT_TOKENS = "gen_ai.usage.output_tokens";
export const ATTR_INPUT_MESSAGES = "gen_ai.input.messages";
export const ATTR_OUTPUT_MESSAGES = "gen_ai.output.messages";
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

/** False for a call that no run was started for. */
export const ATTR_EXECUTED = "toolspan.executed";
/** 2, 3, … for later runs of one call. */
export const ATTR_ATTEMPT = "toolspan.attempt";
/** True on a failed run whose call came back well. */
export const ATTR_RECOVERED = "toolspan.recovered";
/** What the model finally got, where that is not what the run came to. */
export const ATTR_CALL_OUTCOME = "toolspan.call_outcome";

/** The name which the model invented, where the span bears `unknown_tool`. */
export const ATTR_REQUESTED_TOOL = "toolspan.requested_tool";
/** On `invoke_agent`: calls of its own tools, those that failed, and those that no later call made good. */
export const ATTR_TOOL_CALLS = "toolspan.tool_calls";
export const ATTR_FAILED_TOOL_CALLS = "toolspan.failed_tool_calls";
export const ATTR_UNRECOVERED_TOOL_CALLS = "toolspan.unrecovered_tool_calls";

export const METRIC_INVOKE_AGENT_DURATION = "gen_ai.invoke_agent.duration";
export const METRIC_INVOKE_AGENT_TOOL_CALLS = "gen_ai.invoke_agent.tool_calls";
export const METRIC_INVOKE_AGENT_INFERENCE_CALLS = "gen_ai.invoke_agent.inference_calls";
/** Seconds; the convention's buckets. */
export const AGENT_DURATION_BUCKETS = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6];
/** Calls in one invocation of an agent. */
export const CALLS_BUCKETS = [1, 2, 3, 5, 8, 13, 21, 34, 55, 89];

export const METRIC_EXECUTE_TOOL_DURATION = "gen_ai.execute_tool.duration";
/** Seconds; the convention's buckets. */
export const DURATION_BUCKETS = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];

/** The name of a tool of which nothing is known but that it ran. */
export const UNNAMED_TOOL = "unnamed_tool";
