/** The mutants of one source file: every place where its meaning can be broken, and how. */
import { parseAst } from "rolldown/parseAst";
import { mutateNode } from "./mutate-node.mjs";

/**
 * @typedef {object} Mutant
 * @property {number} start where the text it replaces begins
 * @property {number} end
 * @property {"expression" | "statement" | "catch"} place what kind of text it replaces
 * @property {string} original
 * @property {string} mutant
 * @property {number} line from 1
 * @property {string} lineText the line it begins on, trimmed: finds it again when lines have shifted
 */

/** Types, names and module paths hold no behaviour. */
const NOT_BEHAVIOUR = new Set([
  "typeAnnotation",
  "typeArguments",
  "typeParameters",
  "returnType",
  "superTypeArguments",
  "implements",
  "decorators",
  "source",
  "attributes",
]);

/** TypeScript's nodes are left out, but for those which stand around an expression. */
const AROUND_EXPRESSION = new Set(["TSAsExpression", "TSNonNullExpression", "TSSatisfiesExpression"]);

/** @returns {Mutant[]} in the order of the source */
export function findMutants(source) {
  const found = [];
  const text = (node) => source.slice(node.start, node.end);
  const add = (host, mutant, place = "expression") => {
    const original = text(host);
    if (mutant === original) return;
    const before = source.slice(0, host.start);
    const lineStart = before.lastIndexOf("\n") + 1;
    const lineEnd = source.indexOf("\n", host.start);
    const lineText = source.slice(lineStart, lineEnd === -1 ? undefined : lineEnd).trim();
    const line = before.split("\n").length;
    found.push({ start: host.start, end: host.end, place, original, mutant, line, lineText });
  };
  const visit = (node, at) => {
    if (node.type.startsWith("TS") && !AROUND_EXPRESSION.has(node.type)) return;
    mutateNode(node, at, { text, add });
    for (const [key, child] of Object.entries(node)) {
      if (NOT_BEHAVIOUR.has(key) || isName(node, key)) continue;
      for (const one of [child].flat()) if (isNode(one)) visit(one, { parent: node, key, ...chainAt(node, key, at) });
    }
  };
  visit(parseAst(source, { lang: "ts" }), { parent: undefined, key: undefined, chain: undefined });
  return found.sort((one, other) => one.start - other.start || other.end - one.end);
}

function isNode(value) {
  return typeof value?.type === "string";
}

function isName(node, key) {
  return (key === "key" || key === "property") && !node.computed;
}

/**
 * Within `a?.b.c()` no part can be put in parentheses without changing what `?.` skips: there the whole chain is what is
 * replaced.
 */
function chainAt(node, key, at) {
  if (node.type === "ChainExpression") return { chain: node };
  const goesOn = key === "object" || key === "callee" || (key === "expression" && node.type === "TSNonNullExpression");
  return { chain: goesOn ? at.chain : undefined };
}
