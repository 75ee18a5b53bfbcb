/**
 * Mutants that change nothing anyone can see, each with the reason. Found again by the line's text, not by its number.
 *
 * @typedef {{ file: string, line: string, original: string, mutant: string, reason: string }} Equivalent
 */

/**
 * @param {readonly object[]} survivors
 * @param {readonly Equivalent[]} listed
 * @returns the survivors that are not listed, and the entries that no survivor needs
 */
export function matchEquivalents(survivors, listed) {
  const unlisted = survivors.filter((mutant) => !listed.some((entry) => isSame(entry, mutant)));
  const stale = listed.filter((entry) => !entry.reason || !survivors.some((mutant) => isSame(entry, mutant)));
  return { unlisted, stale };
}

function isSame(entry, mutant) {
  return (
    entry.file === mutant.file &&
    entry.line === mutant.lineText &&
    entry.original === mutant.original &&
    entry.mutant === mutant.mutant
  );
}
