import { SCOPE_VERSION } from "../version.ts";
import { demo, DEMO_HELP } from "./demo.ts";
import type { Io } from "./io.ts";

interface Command {
  readonly run: (args: readonly string[], io: Io) => Promise<number>;
  readonly help: string;
}

const COMMANDS: ReadonlyMap<string, Command> = new Map([["demo", { run: demo, help: DEMO_HELP }]]);

const HELP = `toolspan ${SCOPE_VERSION}: tool calls of AI agents as OpenTelemetry spans that tell the truth

Usage: toolspan <command> [options]

Commands:
  demo         plays a LangChain agent whose tools fail in every way, and shows the traces

Options:
  -h, --help   this text, or that of a command
  --version    the version
`;

const OURS = "toolspan: ";

/**
 * Runs a command.
 * @param args without the program and the script
 * @returns the exit code: 0 done, 1 failed, 2 not understood or not installed
 */
export async function main(args: readonly string[], io: Io): Promise<number> {
  const [first, ...rest] = args;
  if (first === undefined) return say(io.stderr, HELP, 2);
  if (first === "--help" || first === "-h") return say(io.stdout, HELP, 0);
  if (first === "--version") return say(io.stdout, `${SCOPE_VERSION}\n`, 0);
  const command = COMMANDS.get(first);
  if (!command) return say(io.stderr, `toolspan: unknown ${kindOf(first)} "${first}"; see toolspan --help\n`, 2);
  if (rest.includes("--help") || rest.includes("-h")) return say(io.stdout, command.help, 0);
  try {
    return await command.run(rest, io);
  } catch (error) {
    // A setting that cannot work throws a TypeError which begins with our name; anything else is a fault.
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof TypeError && message.startsWith(OURS)) return say(io.stderr, `${message}\n`, 2);
    return say(io.stderr, `${message.startsWith(OURS) ? "" : OURS}${message}\n`, 1);
  }
}

function say(terminal: Io["stdout"], text: string, exitCode: number): number {
  terminal.write(text);
  return exitCode;
}

function kindOf(word: string): string {
  return word.startsWith("-") ? "option" : "command";
}
