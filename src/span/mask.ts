import { isObject, read, readItems, readKeys, readMap } from "../core/read.ts";

export const MASK = "***";

/** Words which name a secret however a key ends with them: `DB_PASSWORD`, `accesstoken`, `tavily_api_key`, `apiKey`. */
const SECRET_ENDINGS =
  "password|passwd|passphrase|passcode|secret|credential|token|authorization|api[_-]?key|access[_-]?key|private[_-]?key|" +
  "signing[_-]?key|encryption[_-]?key|account[_-]?key|connection[_-]?string";

/** Shorter ones, which must stand as a word of their own: `pin`, but not `shopping`. */
const SECRET_WORDS = "pwd|auth|cookie|jwt|bearer|otp|pin|cvv|cvc|ssn";

const SECRET_KEY = new RegExp(`(?:(?:${SECRET_ENDINGS})|(?:^|[_.\\-\\s])(?:${SECRET_WORDS}))s?$`, "i");

export function isSecretKey(key: string): boolean {
  return SECRET_KEY.test(key.replace(/([a-z0-9])([A-Z])/g, "$1_$2"));
}

/** A value to be hidden because of its key. `max_tokens: 500` counts tokens and holds none. */
function isSecretMember(key: string, value: unknown): boolean {
  const isCount = typeof value === "number" && /tokens$/i.test(key);
  return isSecretKey(key) && !isCount && value !== undefined && value !== null && value !== "";
}

/** What secrets look like wherever they stand. Each pattern runs in linear time. */
const SECRET_PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|$)/g, MASK],
  [/\b(Bearer|Basic|Digest|Token)(\s+)[\w.~+/=-]{6,}/gi, `$1$2${MASK}`],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g, MASK], // JWT
  [/\b(?:sk|pk|rk|ak|tvly|gsk|xai|hf|glpat|npm|dop_v1|shpat|whsec|pplx|lsv2|r8|figd|key|secret)[-_][\w-]{12,}/g, MASK],
  [/\b(?:gh[pousr]_|github_pat_)\w{12,}/g, MASK],
  [/\bxox[abeoprs]-[\w-]{8,}/g, MASK], // Slack
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, MASK], // AWS
  [/\bAIza[\w-]{30,}/g, MASK], // Google
  [/\bya29\.[\w-]{10,}/g, MASK],
  [/([a-z][a-z0-9+.-]{0,20}:\/\/[^\s:/@]{0,80}:)[^\s/@]{1,200}@/gi, `$1${MASK}@`], // user:password@host
];

/** `password=…`, `"api_key": "…"`, `--token …`, `Authorization: …`, also in the doubly quoted JSON of a message. */
const KEY_AND_VALUE = new RegExp(
  `([\\w.-]{0,60}(?:${SECRET_ENDINGS}|${SECRET_WORDS})s?)(\\\\?["'\`]?\\s{0,3}(?:=>|[=:])\\s{0,3})(\\\\?"(?:[^"\\\\]|\\\\[^"])*\\\\?"|'[^']*'|[^\\s,;&"'\`)}\\]]+)`,
  "gi",
);

/** Masks what looks like a secret, wherever it stands. */
export function maskText(text: string): string {
  let masked = text;
  for (const [pattern, replacement] of SECRET_PATTERNS) masked = masked.replace(pattern, replacement);
  return masked.replace(KEY_AND_VALUE, (whole, key: string, separator: string) =>
    isSecretKey(key) ? `${key}${separator}${MASK}` : whole,
  );
}

/** Masks for captured content: the values under secret keys, whatever they are, and what looks like a secret in texts. */
export function maskMember(key: string, value: unknown): unknown {
  if (isSecretMember(key, value)) return MASK;
  return typeof value === "string" ? maskText(value) : value;
}

/** Masks each of these values wherever it stands in the text; one of three characters or less only as a whole word. */
export function maskValues(text: string, values: readonly string[]): string {
  let masked = text;
  for (const value of values) {
    for (const form of new Set([value, JSON.stringify(value).slice(1, -1), encodeForUrl(value)])) {
      if (!masked.includes(form)) continue;
      const literal = form.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
      const pattern = form.length > 3 ? literal : `(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])`;
      masked = masked.replace(new RegExp(pattern, "gu"), MASK);
    }
  }
  return masked;
}

function encodeForUrl(value: string): string {
  try {
    return encodeURIComponent(value);
  } catch {
    return value; // a lone surrogate
  }
}

const MOST_NODES = 2000;

/** The values which the arguments hold under secret keys, longest first, so that no part of one is left over. */
export function secretValues(args: unknown): readonly string[] {
  const found = new Set<string>();
  const pending: { readonly value: unknown; readonly secret: boolean }[] = [{ value: args, secret: false }];
  const seen = new Set<object>();
  while (pending.length > 0 && seen.size < MOST_NODES) {
    const { value, secret } = pending.pop()!;
    if (isObject(value)) {
      if (seen.has(value)) continue;
      seen.add(value);
      for (const [key, member] of membersOf(value))
        pending.push({ value: member, secret: secret || isSecretMember(key, member) });
    } else if (secret && value !== undefined && value !== null && typeof value !== "boolean") {
      found.add(String(value));
    }
  }
  return [...found].filter((value) => value.trim() !== "").sort((one, other) => other.length - one.length);
}

function membersOf(value: object): readonly (readonly [string, unknown])[] {
  const items = readItems(value);
  if (items) return items.map((item) => ["", item] as const);
  return readMap(value) ?? readKeys(value).map((key) => [key, read(value, key)] as const);
}
