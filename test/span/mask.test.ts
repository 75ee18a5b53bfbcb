import { describe, expect, it } from "vitest";
import { isSecretKey, maskMember, maskText, maskValues, secretValues } from "../../src/span/mask.ts";

describe("keys that name a secret", () => {
  it.each([
    "password",
    "DB_PASSWORD",
    "userPassword",
    "userpassword",
    "passwd",
    "passphrase",
    "pwd",
    "secret",
    "clientSecret",
    "client_secrets",
    "token",
    "accessToken",
    "access_token",
    "accesstoken",
    "x-auth-token",
    "tokens",
    "api_key",
    "apiKey",
    "apikey",
    "APIKEY",
    "tavily_api_key",
    "X-Api-Key",
    "authorization",
    "Proxy-Authorization",
    "auth",
    "cookie",
    "Set-Cookie",
    "credentials",
    "privateKey",
    "private-key",
    "aws_secret_access_key",
    "signing_key",
    "connectionString",
    "jwt",
    "bearer",
    "otp",
    "pin",
    "card.pin",
    "userPin",
    "dbPwd",
    "sessionCookies",
    "cvv",
    "ssn",
    "passcode",
    "encryption_key",
    "storage_account_key",
  ])("%s", (key) => {
    expect(isSecretKey(key)).toBe(true);
  });

  it.each([
    "note",
    "key",
    "q",
    "shopping",
    "author",
    "opinion",
    "token_count",
    "monkey",
    "passenger",
    "tokenizer",
    "secretary",
    "cookies_enabled",
    "",
  ])("not %s", (key) => {
    expect(isSecretKey(key)).toBe(false);
  });

  it.each([
    ["password", "p", "***"],
    ["password", 42, "***"],
    ["secret", { a: 1 }, "***"],
    ["token", false, "***"],
    ["password", "", ""],
    ["password", null, null],
    ["password", undefined, undefined],
    ["max_tokens", 500, 500],
    ["max_tokens", "abc", "***"],
    ["note", "kept", "kept"],
    ["note", "Bearer abcdef123456", "Bearer ***"],
    ["note", 1, 1],
  ])("member %s: %j becomes %j", (key, value, masked) => {
    expect(maskMember(key, value)).toEqual(masked);
  });
});

describe("what looks like a secret", () => {
  it.each([
    ["a bearer token", "401 for Bearer abc.def-123456", "401 for Bearer ***"],
    ["basic authentication", "Basic dXNlcjpwYXNz", "Basic ***"],
    ["a JWT", "got eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln here", "got *** here"],
    ["an OpenAI key", "key sk-proj-abcdefghijklmnop", "key ***"],
    ["a Stripe key", "sk_live_abcdefghijklmnop", "***"],
    ["a Tavily key", "tvly-abcdefghijklmnop", "***"],
    ["a GitHub token", "ghp_abcdefghijklmnopqrst", "***"],
    ["a fine-grained GitHub token", "github_pat_abcdefghijklmnopqrst", "***"],
    ["a Slack token", "xoxb-1234567890-abc", "***"],
    ["an AWS key id", "AKIAIOSFODNN7EXAMPLE", "***"],
    ["a Google key", "AIzaSyA1234567890abcdefghijklmnopqrstuv", "***"],
    ["a Google access token", "ya29.a0AfH6SMBx1234", "***"],
    ["a password in a URL", "at postgres://bob:hunter2@db:5432/app", "at postgres://bob:***@db:5432/app"],
    ["a private key", "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----", "***"],
    ["a private key that was cut", "-----BEGIN PRIVATE KEY-----\nabc", "***"],
    ["key=value", "login failed, password=hunter2, retry", "login failed, password=***, retry"],
    ["key: value", "api_key: abc123", "api_key: ***"],
    ["JSON", '{"user":"bob","apiKey":"abc","n":1}', '{"user":"bob","apiKey":***,"n":1}'],
    ["JSON in a text in JSON", '{\\"password\\":\\"abc\\",\\"n\\":1}', '{\\"password\\":***,\\"n\\":1}'],
    ["an option", "--token=abc", "--token=***"],
    ["single quotes", "{ secret: 'a b', n: 1 }", "{ secret: ***, n: 1 }"],
    ["an arrow", "password => abc", "password => ***"],
    ["what is left of one that is masked in part", "token=sk-abcdefghijklmnop.rest, n=1", "token=***, n=1"],
  ])("%s", (_title, text, masked) => {
    expect(maskText(text)).toBe(masked);
  });

  it.each([
    "Error: file not found",
    "token count: 12 of 40",
    "passenger: Bob",
    "the key is under the mat",
    "https://a.b/c?d=e",
    "max_tokens reached",
    "monkey=1",
    "Basic auth",
    "sk-1",
    "unpin=yes",
    "line 12, column 4",
  ])("not %j", (text) => {
    expect(maskText(text)).toBe(text);
  });

  it("takes linear time on hostile texts", () => {
    const started = process.cpuUsage().user;
    for (const part of ["a", "password", "Bearer ", "://", "eyJ", '"', "\\", "-----BEGIN "])
      maskText(part.repeat(100_000 / part.length));
    expect(process.cpuUsage().user - started).toBeLessThan(20_000_000);
  });
});

describe("values which the arguments held under a secret key", () => {
  it.each([
    ["one", { password: "hunter2", q: "x" }, ["hunter2"]],
    ["deep ones, whatever is below the key", { db: { auth: { user: "bob", pin: 1234 } } }, ["1234", "bob"]],
    ["lists", { api_keys: ["k1", "k22"] }, ["k22", "k1"]],
    ["a Map", new Map([["token", "t1"]]), ["t1"]],
    [
      "a Map whose keys are objects",
      new Map<unknown, unknown>([
        [Object.create(null), 1],
        ["token", "t1"],
      ]),
      ["t1"],
    ],
    ["one twice, longest first", { token: "ab", secret: "abc", password: "ab" }, ["abc", "ab"]],
    ["no counts, flags, blanks", { max_tokens: 5, secret: true, token: " ", auth: { a: null, b: undefined } }, []],
    ["none", { q: "x" }, []],
    ["a text", "password", []],
    ["undefined", undefined, []],
  ])("%s", (_title, args, values) => {
    expect(secretValues(args)).toEqual(values);
  });

  it("survives cycles and looks at no more than 2,000 objects", () => {
    const args: Record<string, unknown> = { token: "t1" };
    args["self"] = args;
    expect(secretValues(args)).toEqual(["t1"]);
    let reads = 0;
    const wide = () =>
      Array.from({ length: 900 }, () => Object.defineProperty({}, "q", { enumerable: true, get: () => reads++ }));
    secretValues([wide(), wide(), wide()]);
    expect(reads).toBe(2000 - 4); // the list and its three lists are objects too
  });

  it("looks at no more than the first 1,000 items of a list", () => {
    const tokens = Array.from({ length: 5000 }, (_, index) => `t${index}`);
    expect(secretValues({ tokens })).toHaveLength(1000);
  });

  it.each([
    ["wherever they stand", "no hunter2 at hunter2x", ["hunter2"], "no *** at ***x"],
    ["with special characters", "no a+b(c", ["a+b(c"], "no ***"],
    ["escaped for JSON", 'no {"q":"a\\"b"}', ['a"b'], 'no {"q":"***"}'],
    ["escaped for a URL", "no ?q=a%20b%26", ["a b&"], "no ?q=***"],
    ["short ones as words", "p in the pop-up: p.", ["p"], "*** in the pop-up: ***."],
    ["as they are, where JSON writes them otherwise", 'no a"b', ['a"b'], "no ***"],
    ["of three characters as words", "abc in abcd", ["abc"], "*** in abcd"],
    ["of four anywhere", "abcd in abcde", ["abcd"], "*** in ***e"],
    ["a lone surrogate", "undefined, no \uD800x", ["\uD800x1"], "undefined, no \uD800x"],
    ["none", "fine", [], "fine"],
  ])("%s", (_title, text, values, masked) => {
    expect(maskValues(text, values)).toBe(masked);
  });
});
