/** What a command has of the world; only bin.ts takes it from `process`. */
export interface Io {
  readonly stdout: Terminal;
  readonly stderr: Terminal;
  readonly env: NodeJS.ProcessEnv;
  /** The folder the user is in. */
  readonly cwd: string;
}

export interface Terminal {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}
