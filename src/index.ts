export type { CallFacts, RunKey, ToolCall, ToolEnd } from "./core/call.ts";
export { classify } from "./core/classify.ts";
export type { Failure, NoFailure, Ok, Outcome, OutcomeKind } from "./core/outcome.ts";
export { defaultRules } from "./core/rules.ts";
export type { Rule } from "./core/rules.ts";
export type { CaptureContent, ContentPlace, Limits, RecorderOptions } from "./span/options.ts";
export { createRecorder } from "./span/recorder.ts";
export type { ParentRun, Recorder } from "./span/recorder.ts";
