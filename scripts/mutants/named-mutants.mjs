/** The faults this library exists to prevent. They are tried on every run, by name, whatever else changes. */
const NAMED = [
  {
    name: "the always-OK bug",
    file: "src/core/rules.ts",
    original: 'toolMessagesOf(value, call).find((message) => read(message, "status") === "error")',
    mutant: "undefined",
  },
  {
    name: "OK on success",
    file: "src/span/options.ts",
    original: 'options.successStatus ?? "unset"',
    mutant: '"ok"',
  },
  {
    name: "control flow as error",
    file: "src/core/thrown.ts",
    within: "const flow = controlFlow(error);",
    original: "controlFlow(error)",
    mutant: "undefined",
  },
  {
    name: "status from text",
    file: "src/core/classify.ts",
    within: "return OK;",
    original: "OK",
    mutant:
      '/^Error:/.test(String(end.value?.content ?? end.value)) ? { kind: "error", type: "tool_error", message: "" } : OK',
  },
  {
    name: "call id as key",
    file: "src/adapters/langchain.ts",
    within: "key: runId,\n      name:",
    original: "runId",
    mutant: "toolCallId ?? runId",
  },
  {
    name: "a serializer that throws",
    file: "src/core/json.ts",
    original: 'new Writer(replace, true).write("", value, limit, 0)',
    mutant: "JSON.stringify(value)",
  },
];

/**
 * @param {(file: string) => string} read gives a file's text
 * @throws where the source has moved on and a fault has no place any more: it must be given a new one, not forgotten
 */
export function placeNamedMutants(read) {
  return NAMED.map(({ name, file, original, mutant, within = original }) => {
    const source = read(file);
    const parts = source.split(within);
    if (parts.length !== 2) {
      throw new Error(`named mutant "${name}": ${file} must hold this text once, give it a new place: ${within}`);
    }
    const start = parts[0].length + within.indexOf(original);
    const line = source.slice(0, start).split("\n").length;
    const lineText = source.split("\n")[line - 1].trim();
    return { name, file, place: "expression", start, end: start + original.length, original, mutant, line, lineText };
  });
}
