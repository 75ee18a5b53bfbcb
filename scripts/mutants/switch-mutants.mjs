/**
 * All mutants of a file in one text, each behind a switch: no file is written, and nothing is compiled again, to try the next.
 */

/** The global function that is asked, with the mutant's number, whether it is the one switched on. */
export const SWITCH = "__mutant";

/**
 * @param {string} source
 * @param {readonly { id: number, start: number, end: number, place: string, mutant: string }[]} mutants
 * @returns {string} the source on the same lines, with the switches in it
 */
export function switchMutants(source, mutants) {
  const groups = new Map();
  for (const mutant of mutants) {
    const key = `${mutant.start} ${mutant.end} ${mutant.place === "expression" ? "" : mutant.place}`;
    groups.set(key, [...(groups.get(key) ?? []), mutant]);
  }
  const outermostFirst = [...groups.values()].sort(
    ([one], [other]) => one.start - other.start || other.end - one.end || rank(one) - rank(other),
  );
  return render(source, 0, source.length, outermostFirst);
}

/** An expression that is a whole statement begins where the statement begins, and is inside it. */
function rank({ place }) {
  return place === "expression" ? 1 : 0;
}

function render(source, start, end, groups) {
  let [at, out] = [start, ""];
  for (let index = 0; index < groups.length;) {
    const group = groups[index];
    const inside = groups.slice(index + 1).filter(([one]) => one.start < group[0].end);
    const original = (from, to) => render(source, from, to, inside);
    out += source.slice(at, group[0].start) + switched(source, group, original);
    at = group[0].end;
    index += 1 + inside.length;
  }
  return out + source.slice(at, end);
}

function switched(source, group, original) {
  const [{ start, end, place, id }] = group;
  // In a block, so that an `else` which follows stays with its own `if`.
  if (place === "statement") return `{ if (!${isOn(id)}) {${original(start, end)}} }`;
  if (place === "catch") return caught(source, group[0], isOn(id), original);
  return `(${group.map((one) => `${isOn(one.id)} ? (${one.mutant}) : `).join("")}(${original(start, end)}))`;
}

function isOn(id) {
  return `globalThis.${SWITCH}(${id})`;
}

function caught(source, { start, end }, condition, original) {
  const head = /^catch\s*(?:\(([^)]*)\))?\s*\{/.exec(source.slice(start, end));
  const error = head[1]?.split(":")[0].trim() ?? "caught";
  return `catch (${error}) { if (${condition}) throw ${error};${original(start + head[0].length, end)}`;
}
