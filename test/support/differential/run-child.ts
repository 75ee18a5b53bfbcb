import { execFileSync, spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { ended } from "../../export/run-app.ts";
import type { Account } from "./play.ts";

const SUPPORT = "test/support";

/** Compiles the scenarios to where bare imports resolve, beside the library that was built there. */
export function buildChild(dist: string): string {
  const outDir = join(dirname(dist), "support");
  const files = readdirSync(SUPPORT, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  const compiler = ["node_modules/typescript/bin/tsc", "--ignoreConfig", "--noCheck", "--noResolve"];
  const options = [
    "--target",
    "es2023",
    "--module",
    "nodenext",
    "--types",
    "node",
    "--rewriteRelativeImportExtensions",
  ];
  const place = ["--rootDir", SUPPORT, "--outDir", outDir];
  execFileSync(process.execPath, [...compiler, ...options, ...place, ...files.map((file) => join(SUPPORT, file))]);
  return join(outDir, "differential", "child.js");
}

/**
 * Plays every scenario in a process of its own, as it is or with `toolspan/register`.
 *
 * @param endpoint where the register sends to
 */
export async function playInChild(
  child: string,
  register: string | undefined,
  endpoint: string,
): Promise<Readonly<Record<string, Account>>> {
  const flags = register ? ["--import", pathToFileURL(register).href] : [];
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_BSP_MAX_QUEUE_SIZE: "20000" };
  const args = [...flags, child, register ? "watched" : "as it is"];
  const { code, stdout, stderr } = await ended(spawn(process.execPath, args, { env: environment }));
  if (code !== 0 || stderr !== "") throw new Error(`the scenarios ended with ${code}: ${stderr}`);
  return JSON.parse(stdout) as Record<string, Account>;
}
