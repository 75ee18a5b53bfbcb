import { expect, it } from "vitest";
import { toolErrorKind } from "../../src/core/tool-error-brand.ts";
import { ToolError } from "../../src/index.ts";

const marked = (fields: object) => Object.assign(new Error("no"), { [Symbol.for("toolspan.ToolError")]: true }, fields);

it.each([
  ["a ToolError", ToolError.timeout(50), "timeout"],
  ["one of a later version, with a kind of its own", marked({ kind: "later" }), "later"],
  ["a marked error without a kind: a message", marked({}), "message"],
  ["an error without the mark", Object.assign(new Error("no"), { kind: "timeout" }), undefined],
  ["a mark that is not true", marked({ [Symbol.for("toolspan.ToolError")]: "yes", kind: "timeout" }), undefined],
  ["a thrown text", "timeout", undefined],
  ["nothing at all", undefined, undefined],
])("%s", (_title, error, kind) => {
  expect(toolErrorKind(error)).toBe(kind);
});
