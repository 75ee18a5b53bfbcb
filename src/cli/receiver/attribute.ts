import type { Message } from "./field.ts";
import { asInteger, asMessage, asNumber, field, listField, messageField, messagesField, textField } from "./field.ts";

/** A message's attributes as plain values. */
export function attributesOf(message: Message, name = "attributes"): Record<string, unknown> {
  return Object.fromEntries(
    messagesField(message, name).map((pair) => [textField(pair, "key"), plainValue(messageField(pair, "value"))]),
  );
}

/** Integers that a number cannot hold become text, bytes become base64; a value that is not set is `undefined`. */
function plainValue(value: Message): unknown {
  const given = (name: string): unknown => field(value, name);
  if (given("stringValue") !== undefined) return textField(value, "stringValue");
  if (given("boolValue") !== undefined) return given("boolValue") === true;
  if (given("intValue") !== undefined) return plainInteger(asInteger(given("intValue"), "intValue"));
  if (given("doubleValue") !== undefined) return asNumber(given("doubleValue"), "doubleValue");
  if (given("arrayValue") !== undefined) {
    return listField(messageField(value, "arrayValue"), "values").map((item) => plainValue(asMessage(item, "values")));
  }
  if (given("kvlistValue") !== undefined) return attributesOf(messageField(value, "kvlistValue"), "values");
  const bytes = given("bytesValue");
  return bytes instanceof Uint8Array ? Buffer.from(bytes).toString("base64") : bytes;
}

function plainInteger(integer: bigint): number | string {
  const number = Number(integer);
  return Number.isSafeInteger(number) ? number : String(integer);
}

/** The instrumentation that made a span or a point. */
export interface ReceivedScope {
  readonly name: string;
  readonly version: string;
}

export function scopeOf(message: Message): ReceivedScope {
  const scope = messageField(message, "scope");
  return { name: textField(scope, "name"), version: textField(scope, "version") };
}

export function resourceOf(message: Message): Record<string, unknown> {
  return attributesOf(messageField(message, "resource"));
}
