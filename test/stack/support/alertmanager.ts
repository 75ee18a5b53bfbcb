import { createServer } from "node:http";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "./ports.ts";
import { atEnd, type Program, scratch, startProgram } from "./program.ts";
import { replaced } from "./prometheus.ts";

export interface AlertmanagerOptions {
  /** The file users get. */
  readonly config: string;
  /** What stands in the file and what it is here: the webhook's address, waiting times. */
  readonly replace: Readonly<Record<string, string>>;
}

export interface Alertmanager extends Program {
  /** `127.0.0.1:PORT`. */
  readonly address: string;
}

/** Debian's Alertmanager, alone. */
export async function startAlertmanager({ config, replace }: AlertmanagerOptions): Promise<Alertmanager> {
  const address = `127.0.0.1:${await freePort()}`;
  const folder = scratch();
  const file = join(folder, "alertmanager.yml");
  writeFileSync(file, replaced(readFileSync(config, "utf8"), replace));
  const program = await startProgram({
    command: "prometheus-alertmanager",
    args: [
      `--config.file=${file}`,
      `--storage.path=${join(folder, "data")}`,
      `--web.listen-address=${address}`,
      "--cluster.listen-address=",
    ],
    ready: `http://${address}/-/ready`,
  });
  return { ...program, address };
}

/** A webhook's end: its URL, and the bodies it was sent so far. */
export async function startWebhook(): Promise<{ readonly url: string; readonly bodies: readonly unknown[] }> {
  const bodies: unknown[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part: Buffer) => (body += part.toString()));
    request.on("end", () => {
      bodies.push(JSON.parse(body));
      response.end();
    });
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  atEnd(() => server.close());
  return { url: `http://127.0.0.1:${port}/`, bodies };
}
