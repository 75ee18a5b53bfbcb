import { toJson } from "../core/json.ts";
import { cutText, oneLine } from "../core/one-line.ts";
import { maskMember, maskText, maskValues, secretValues } from "./mask.ts";
import type { ContentPlace, Settings } from "./options.ts";

/** What the status says where the failure's own words are switched off, or there are none. */
export const FAILED = "tool call failed";

/** The failure's own words for the status description: one line, secrets masked, then cut. */
export function failureText(message: string, args: unknown, settings: Settings): string {
  if (settings.errorMessages === "off" || message === "") return FAILED;
  const masked = maskSecrets(withoutPayload(oneLine(message)), args);
  const text = redacted(masked, "message", settings);
  return typeof text === "string" && text !== "" ? cutText(text, settings.limits.messageLength) : FAILED;
}

/** What frameworks put into their messages beside words: a call's arguments, a tool's result. */
const PAYLOADS: readonly (readonly [RegExp, string])[] = [
  [/Error invoking tool '[^']*' with kwargs .* with error: /, ""], // LangChain's ToolInvocationError
  [/(Tool response format is "content_and_artifact" but the output was not a two-tuple\.) Result: .*/, "$1"], // its core
];

function withoutPayload(line: string): string {
  return PAYLOADS.reduce((text, [pattern, words]) => text.replace(pattern, words), line);
}

/** Masks what looks like a secret, and whatever the call's arguments held under the key of one. */
export function maskSecrets(text: string, args: unknown): string {
  return maskText(maskValues(text, secretValues(parsedArguments(args))));
}

/** JSON text for a content attribute, or nothing: masked by key and by pattern, then cut to the limit in bytes. */
export function contentJson(
  value: unknown,
  where: Exclude<ContentPlace, "message">,
  args: unknown,
  settings: Settings,
): string | undefined {
  const limit = settings.limits.contentBytes;
  const secrets = secretValues(parsedArguments(args));
  const content = redacted(where === "arguments" ? parsedArguments(value) : value, where, settings);
  return toJson(content, limit, (key, member) => {
    // Of a longer text nothing past the limit can be written, so nothing past it need be searched.
    const near = typeof member === "string" ? member.slice(0, limit + NEAR) : member;
    const masked = maskMember(key, near);
    return typeof masked === "string" ? maskValues(masked, secrets) : masked;
  });
}

/** A secret that begins before the cut is found whole. */
const NEAR = 1024;

function redacted(value: unknown, where: ContentPlace, settings: Settings): unknown {
  const { redact } = settings.given;
  return redact ? settings.guard.run("redact", () => redact(value, where)) : value;
}

/** LangChain gives the arguments as JSON text; keys can be seen only in their parsed form. */
function parsedArguments(args: unknown): unknown {
  if (typeof args !== "string" || !/^\s*[[{]/.test(args)) return args;
  try {
    return JSON.parse(args) as unknown;
  } catch {
    return args;
  }
}
