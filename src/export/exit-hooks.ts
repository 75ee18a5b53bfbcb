/** What is to be done before the process ends. Neither step throws or rejects. */
export interface LastSteps {
  closeOpenRuns(): void;
  flush(): Promise<void>;
  /** Whether anything happened since it was last asked. */
  takeNews(): boolean;
}

const SIGNALS = ["SIGTERM", "SIGINT"] as const;

/**
 * Hooks the ways out which leave time for a flush: the end of the script, SIGTERM and SIGINT.
 *
 * @returns takes the hooks away again
 */
export function hookExit(steps: LastSteps): () => void {
  // Node says it each time that the loop runs empty, and a flush fills the loop once more.
  const onBeforeExit = (): void => {
    steps.closeOpenRuns();
    if (steps.takeNews()) void steps.flush();
  };
  let hooked = true;
  const onSignal = (signal: NodeJS.Signals): void => {
    process.removeListener(signal, onSignal);
    if (process.listenerCount(signal) > 0) {
      // The application decides. Libraries which count the listeners to learn whether they are alone (signal-exit) must
      // not find this one, or both would wait for the other to end the process.
      setImmediate(() => hooked && process.prependListener(signal, onSignal)).unref();
      void steps.flush();
      return;
    }
    // With the listener gone a second signal ends the process at once.
    steps.closeOpenRuns();
    void steps.flush().then(() => process.kill(process.pid, signal));
  };
  process.on("beforeExit", onBeforeExit);
  // First in line: a listener of the application's that is for once would be gone when it is looked for.
  for (const signal of SIGNALS) process.prependListener(signal, onSignal);
  return () => {
    hooked = false;
    process.removeListener("beforeExit", onBeforeExit);
    for (const signal of SIGNALS) process.removeListener(signal, onSignal);
  };
}
