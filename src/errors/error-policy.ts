import { readKeys } from "../core/read.ts";
import { isSchemaError } from "./schema-error.ts";
import { toldToModel } from "./told-to-model.ts";
import { ToolError } from "./tool-error.ts";
import { ToolException } from "./tool-exception.ts";

/**
 * What the model gets for a handled error: a text, content blocks, a `ToolMessage` or `Command`, which pass through as they
 * are, or any other value, as JSON. A handler that throws ends the run with what it threw.
 */
export type ErrorHandler = (error: Error) => unknown;

/**
 * `false`, `undefined` and `""` throw the error again; `true` tells the model the error's own words; a string is told
 * instead of them; a function says what is told.
 */
export type ErrorSetting = boolean | string | ErrorHandler | undefined;

/** Which of a tool's errors are given to the model instead of being thrown, and in which words. */
export interface ErrorPolicy {
  /** For a `ToolException` or a `ToolError` that is not cancelled; never for any other error. @default false */
  readonly handleToolError?: ErrorSetting;
  /** For arguments that the tool's schema refuses, and for schema errors thrown in the tool. @default false */
  readonly handleValidationError?: ErrorSetting;
}

const SETTINGS: readonly string[] = ["handleToolError", "handleValidationError"] satisfies (keyof ErrorPolicy)[];

/** @throws {TypeError} beginning with `toolspan:`, for a setting that could only fail later, when an error is handled */
export function checkPolicy(policy: ErrorPolicy): void {
  if (typeof policy !== "object" || policy === null) {
    throw new TypeError("toolspan: handleErrors takes { handleToolError, handleValidationError } after the tool");
  }
  for (const name of readKeys(policy)) {
    if (!SETTINGS.includes(name)) {
      throw new TypeError(`toolspan: handleErrors has no setting "${name}"; it has ${SETTINGS.join(" and ")}`);
    }
    const setting: unknown = policy[name as keyof ErrorPolicy];
    if (setting !== undefined && !["boolean", "string", "function"].includes(typeof setting)) {
      throw new TypeError(
        `toolspan: ${name} must be a boolean, a string or a function; leave it out to throw errors on`,
      );
    }
  }
}

/** Makes what the model gets for this error; nothing where the policy throws it on. */
export function handlingOf(error: unknown, policy: ErrorPolicy): (() => unknown) | undefined {
  if (isSchemaError(error)) return telling(policy.handleValidationError, error, "Tool input validation error");
  const isTools = ToolException.is(error) || ToolError.is(error);
  return isTools ? telling(policy.handleToolError, error, toldToModel(error).value) : undefined;
}

function telling(setting: ErrorSetting, error: unknown, ownWords: unknown): (() => unknown) | undefined {
  if (!setting) return undefined;
  if (typeof setting === "function") return () => setting(error as Error);
  return () => (typeof setting === "string" ? setting : ownWords);
}
