/**
 * What can be broken at one node of the syntax tree. Mutants which any test would see that sees another one here are left
 * out: a condition is forced both ways but not also negated, `a && b` becomes `a` and `b` but not also `a || b`.
 */

const MUTATORS = {
  IfStatement: ({ test }, _at, { add }) => ["true", "false"].forEach((forced) => add(test, forced)),
  ConditionalExpression: ({ test }, _at, { add }) => ["true", "false"].forEach((forced) => add(test, forced)),
  WhileStatement: ({ test }, _at, { add }) => add(test, "false"),
  ForStatement: ({ test }, _at, { add }) => test && add(test, "false"),
  LogicalExpression: dropOperand,
  BinaryExpression: changeOperator,
  UnaryExpression: dropSign,
  AssignmentExpression: changeAssignment,
  Literal: changeLiteral,
  TemplateLiteral: emptyTemplate,
  ArrayExpression: dropElements,
  MemberExpression: dropOptional,
  CallExpression: changeCall,
  ReturnStatement: ({ argument }, _at, tools) => argument && returnNothing(argument, tools),
  ArrowFunctionExpression: ({ body, expression }, _at, tools) => expression && returnNothing(body, tools),
  ExpressionStatement: removeStatement,
  CatchClause: (node, _at, { add }) => add(node, "catch (error) { throw error; }", "catch"),
};

export function mutateNode(node, at, tools) {
  MUTATORS[node.type]?.(node, at, tools);
}

function dropOperand(node, _at, { text, add }) {
  add(node, text(node.left));
  const isLonger = node.left.type === "LogicalExpression" && node.left.operator === node.operator;
  if (!isLonger) add(node, text(node.right));
}

const BOUNDARY = { "<": "<=", "<=": "<", ">": ">=", ">=": ">" };
const ARITHMETIC = { "+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "&": "|" };
const COMPARISONS = new Set([...Object.keys(BOUNDARY), "===", "!==", "in", "instanceof"]);

function changeOperator(node, at, tools) {
  const { add } = tools;
  const other = BOUNDARY[node.operator] ?? ARITHMETIC[node.operator];
  if (other) swapBetween(node, node.left.end, node.operator, other, tools);
  if (COMPARISONS.has(node.operator) && !isForced(at)) ["true", "false"].forEach((forced) => add(node, forced));
}

/** A condition, or one side of `&&` and `||`, is forced already. */
function isForced({ parent, key }) {
  return key === "test" || parent?.type === "LogicalExpression";
}

function dropSign(node, at, { text, add }) {
  if (node.operator === "-" || (node.operator === "!" && !isForced(at))) add(node, text(node.argument));
}

const ASSIGNMENT = { "+=": "-=", "-=": "+=", "??=": "=" };

function changeAssignment(node, _at, tools) {
  const other = ASSIGNMENT[node.operator];
  if (other) swapBetween(node, node.left.end, node.operator, other, tools);
}

function changeLiteral(node, at, { text, add }) {
  if (node.regex) {
    for (const pattern of ["(?:)", "(?!)"]) add(node, `/${pattern}/${node.regex.flags}`);
  } else if (typeof node.value === "boolean" && at.parent.type !== "BinaryExpression") {
    add(node, String(!node.value));
  } else if (typeof node.value === "string" && !isCompared(at) && !isProse(node.value, at, text)) {
    add(node, node.value === "" ? '"mutant"' : '""');
  }
}

/** There the comparison, or the list, is what is broken. */
function isCompared({ parent, key }) {
  const isElement = parent.type === "ArrayExpression" && parent.elements.length > 1;
  return (
    parent.type === "BinaryExpression" || isElement || (parent.type === "ExpressionStatement" && key !== undefined)
  );
}

/** Words for people: sentences, and the names of steps that `diag` gets. A global symbol's key is none of these. */
function isProse(value, { parent, key }, text) {
  const callee = parent.type === "CallExpression" && key === "arguments" ? text(parent.callee) : "";
  if (callee === "Symbol.for") return false;
  return /\s/.test(value.trim()) || /(^|\.)(run|warn|step|once)$/.test(callee);
}

function emptyTemplate(node, at, { add }) {
  const words = node.quasis.map((quasi) => quasi.value.cooked).join("");
  const isTagged = at.parent.type === "TaggedTemplateExpression";
  if (!isTagged && !/[a-z]\s|\s[a-z]/i.test(words)) add(node, '""');
}

function dropElements(node, _at, { text, add }) {
  for (const dropped of node.elements) {
    const others = node.elements.filter((element) => element !== dropped);
    add(node, `[${others.map((element) => (element ? text(element) : "")).join(", ")}]`);
  }
}

function dropOptional(node, at, tools) {
  if (node.optional) swapBetween(at.chain, node.object.end, "?.", node.computed ? "" : ".", tools);
}

/** What is left of a call that only picks, cleans or orders, and its opposite where there is one. */
const DROPPED = new Set(["filter", "trim", "toLowerCase", "toUpperCase", "sort", "slice", "replace"]);
const OPPOSITE = { some: "every", every: "some", min: "max", max: "min" };

function changeCall(node, at, tools) {
  const { callee } = node;
  const host = at.chain ?? node;
  if (node.optional) swapBetween(at.chain, callee.end, "?.", "", tools);
  if (callee.type !== "MemberExpression" || callee.computed) return;
  const { name } = callee.property;
  if (OPPOSITE[name]) swapBetween(host, callee.object.end, name, OPPOSITE[name], tools);
  const dot = callee.optional ? "?." : ".";
  if (DROPPED.has(name))
    swapBetween(host, callee.object.end, tools.text(node).slice(indexOfDot(node, dot, tools)), "", tools);
}

/** Behind the brackets which may stand around what is called upon. */
function indexOfDot({ start, callee }, dot, { text }) {
  return text({ start, end: callee.property.start }).lastIndexOf(dot);
}

/** The host with the first such words after a place in the source exchanged for others. */
function swapBetween(host, from, words, others, { text, add }) {
  const [whole, at] = [text(host), text({ start: host.start, end: from }).length];
  const place = whole.indexOf(words, at);
  add(host, whole.slice(0, place) + others + whole.slice(place + words.length));
}

/** True and false, literals and comparisons have mutants that say more. */
function returnNothing(value, { text, add }) {
  const isPlain = value.type === "Literal" || text(value) === "undefined" || COMPARISONS.has(value.operator);
  if (!isPlain) add(value, "undefined");
}

/** The only statement of an `if` falls with its condition. */
function removeStatement(node, { parent, key }, { add }) {
  const isOnly = parent.type === "IfStatement" && key === "consequent" && !parent.alternate;
  if (!isOnly && !node.directive) add(node, "", "statement");
}
