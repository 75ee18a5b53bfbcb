/**
 * Reading the fields of an OTLP message in either form: protobuf decoded to an object, or OTLP/JSON. The fields of both
 * have the same names; JSON also comes with the original `snake_case` ones. A field that is not there has its default.
 * What cannot be meant is refused by an error that names the field.
 */
export type Message = Readonly<Record<string, unknown>>;

/** The field's value; `undefined` where it is unset. JSON writes `null` for unset too. */
export function field(message: Message, name: string): unknown {
  const found = Object.hasOwn(message, name) ? message[name] : undefined;
  if (found !== undefined && found !== null) return found;
  const original = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.hasOwn(message, original) ? (message[original] ?? undefined) : undefined;
}

export function asMessage(value: unknown, name: string): Message {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Message;
  throw new TypeError(`${name} must be an object`);
}

export function messageField(message: Message, name: string): Message {
  const value = field(message, name);
  return value === undefined ? {} : asMessage(value, name);
}

export function listField(message: Message, name: string): readonly unknown[] {
  const value = field(message, name) ?? [];
  if (Array.isArray(value)) return value;
  throw new TypeError(`${name} must be a list`);
}

export function messagesField(message: Message, name: string): readonly Message[] {
  return listField(message, name).map((item) => asMessage(item, name));
}

export function textField(message: Message, name: string): string {
  const value = field(message, name) ?? "";
  if (typeof value === "string") return value;
  throw new TypeError(`${name} must be text`);
}

/** JSON has 64-bit integers as text, since numbers would lose digits; some clients send numbers all the same. */
export function asInteger(value: unknown, name: string): bigint {
  const isInteger = typeof value === "string" ? /^-?\d+$/.test(value) : Number.isInteger(value);
  if (isInteger) return BigInt(value as string | number);
  throw new TypeError(`${name} must be a whole number`);
}

export function integerField(message: Message, name: string): bigint {
  return asInteger(field(message, name) ?? 0, name);
}

/** JSON has `NaN` and the infinities as text. */
export function asNumber(value: unknown, name: string): number {
  const isNumber = typeof value === "number" || (typeof value === "string" && value.trim() !== "");
  const number = isNumber ? Number(value) : undefined;
  if (number !== undefined && (value === "NaN" || !Number.isNaN(number) || typeof value === "number")) return number;
  throw new TypeError(`${name} must be a number`);
}

export function optionalNumber(message: Message, name: string): number | undefined {
  const value = field(message, name);
  return value === undefined ? undefined : asNumber(value, name);
}

/** @param names the enum's names in the order of their numbers */
export function enumField(message: Message, name: string, names: readonly string[]): number {
  const value = field(message, name) ?? 0;
  const number = typeof value === "string" ? names.indexOf(value) : value;
  if (typeof number === "number" && Number.isInteger(number) && number >= 0) return number;
  throw new TypeError(`${name} must be a number or one of ${names.join(", ")}`);
}

/** An id as lower-case hex digits: bytes in protobuf, hex (not base64) in OTLP/JSON. Empty where it is unset. */
export function idField(message: Message, name: string, bytes: number): string {
  const value = field(message, name) ?? "";
  const id = value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value;
  if (typeof id === "string" && (id === "" || (id.length === bytes * 2 && /^[\da-f]+$/i.test(id)))) {
    return id.toLowerCase();
  }
  throw new TypeError(`${name} must have ${bytes} bytes, in JSON as hex digits`);
}

/** An id that has to be there. */
export function requiredId(message: Message, name: string, bytes: number): string {
  const id = idField(message, name, bytes);
  if (/[^0]/.test(id)) return id;
  throw new TypeError(`${name} must not be empty`);
}
