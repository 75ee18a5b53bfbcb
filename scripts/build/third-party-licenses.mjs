import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * What THIRD-PARTY-LICENSES.txt says: each bundled package with its version, its licence and the licence's text.
 * @param {string[]} modules paths of the bundled modules
 */
export function thirdPartyLicenses(modules) {
  const folders = [...new Set(modules.map(packageFolder))];
  const entries = folders.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return { title: `${name} ${version} (${license})`, text: licenseText(folder, name) };
  });
  return [
    "The command dist/cli/bin.js has the following packages inside.",
    ...entries
      .toSorted((one, other) => (one.title < other.title ? -1 : 1))
      .map(({ title, text }) => `${RULE}${title}\n\n${text}`),
  ].join("\n");
}

const RULE = `\n${"-".repeat(80)}\n`;

/** The nearest folder above with a named package.json; some packages have nameless ones within. */
function packageFolder(module) {
  for (let folder = dirname(module); folder !== dirname(folder); folder = dirname(folder)) {
    const path = join(folder, "package.json");
    if (existsSync(path) && JSON.parse(readFileSync(path, "utf8")).name) return folder;
  }
  throw new Error(`no package holds ${module}`);
}

function licenseText(folder, name) {
  const file = readdirSync(folder).find((entry) => /^licen[cs]e(\.(md|txt))?$/i.test(entry));
  if (!file) throw new Error(`${name} has no licence file; find its text before bundling it`);
  return `${readFileSync(join(folder, file), "utf8").trim()}\n`;
}
