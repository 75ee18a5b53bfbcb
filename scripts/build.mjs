/**
 * Builds dist: the library by tsc, file for file; the command as one bundle with what it needs inside.
 * `--outDir DIR` builds elsewhere (tests do, so as not to disturb dist); the licences then go there too.
 */
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bundleCommand } from "./build/bundle-command.mjs";
import { thirdPartyLicenses } from "./build/third-party-licenses.mjs";

const { outDir } = parseArgs({ options: { outDir: { type: "string", default: "dist" } } }).values;
const tsc = "node_modules/typescript/bin/tsc";

rmSync(outDir, { recursive: true, force: true });
execFileSync(process.execPath, [tsc, "-p", "tsconfig.build.json", "--outDir", outDir], { stdio: "inherit" });
const bundled = await bundleCommand(outDir);
writeFileSync(join(outDir === "dist" ? "." : outDir, "THIRD-PARTY-LICENSES.txt"), thirdPartyLicenses(bundled));
