import { styleText } from "node:util";

export type Paint = (style: Style, text: string) => string;
export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan" | "magenta";

/** Colour where it is wanted: `FORCE_COLOR` first, then `NO_COLOR`, as Node does; else where the stream is a terminal. */
export function createPaint(env: NodeJS.ProcessEnv, isTerminal: boolean): Paint {
  if (!wantsColour(env, isTerminal)) return (_style, text) => text;
  // Without a stream to ask; on the newer Nodes it would otherwise ask process.stdout.
  return (style, text) => (text === "" ? "" : styleText(style, text, { validateStream: false }));
}

function wantsColour(env: NodeJS.ProcessEnv, isTerminal: boolean): boolean {
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  if (env["NO_COLOR"] || env["NODE_DISABLE_COLORS"] || env["TERM"] === "dumb") return false;
  return isTerminal;
}
