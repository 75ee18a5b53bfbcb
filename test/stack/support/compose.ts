import { execFile } from "node:child_process";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { programPath, scratch } from "./program.ts";
import { replaced } from "./prometheus.ts";

/** A service as the library behind `docker compose` understands it: files merged, `extends` and anchors resolved. */
export interface Service {
  readonly image: string;
  readonly command?: readonly string[] | null;
  readonly entrypoint?: readonly string[] | null;
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly { readonly host_ip?: string; readonly published: string; readonly target: number }[];
  readonly volumes?: readonly { readonly type: string; readonly source: string; readonly target: string }[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly network_mode?: string;
  readonly restart?: string;
}

export type Services = Readonly<Record<string, Service>>;

/**
 * Loads a compose file of this folder; with a change, a copy beside the same files.
 * @throws {Error} what compose-go complains of, or a mount that is missing
 */
export async function loadCompose(file: string, change: Readonly<Record<string, string>> = {}): Promise<Services> {
  const folder = scratch();
  for (const neighbour of ["collector-config", "dashboards"]) symlinkSync(resolve(neighbour), join(folder, neighbour));
  for (const name of ["docker-compose.yml", "docker-compose.scale.yml"]) {
    const text = readFileSync(name, "utf8");
    writeFileSync(join(folder, name), name === file ? replaced(text, change) : text);
  }
  const { stdout } = await promisify(execFile)(programPath("composecheck"), [join(folder, file)]);
  return (JSON.parse(stdout) as { readonly services: Services }).services;
}
