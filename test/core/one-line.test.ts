import { describe, expect, it } from "vitest";
import { cutText, oneLine } from "../../src/core/one-line.ts";

describe("oneLine", () => {
  it.each([
    ["white space", " a \n\t b ", "a b"],
    ["stack frames", "no\n    at run (/srv/app.js:1:2)\nafter", "no after"],
    ["a frame first", "at run (/srv/app.js:1:2)\nafter", "after"],
    ["a sentence with that word", "look at me", "look at me"],
    ["nothing", "", ""],
  ])("%s", (_title, text, line) => {
    expect(oneLine(text)).toBe(line);
  });
});

describe("cutText", () => {
  it.each([
    ["just fits", "abcd", 4, "abcd"],
    ["too long", "abcde", 4, "abc…"],
    ["a pair at the cut", "ab😀cd", 4, "ab…"],
    ["a pair before the cut", "a😀bcd", 4, "a😀…"],
    ["to one", "abc", 1, "…"],
    ["to none", "abc", 0, ""],
  ])("%s", (_title, text, limit, cut) => {
    expect(cutText(text, limit)).toBe(cut);
  });
});
