const OURS = /\/(?:src|dist)\/(?:adapters|core|register|span)\/|\/@opentelemetry\//;

/** From here on it is the tests. */
const PLAYER = /\/differential\/play\.[jt]s/;

/**
 * The lines of a stack without those of the bridge: its own, OpenTelemetry's, and the step by which that enters a context. Where
 * the bridge stands round a tool it shows in the stack of what the tool throws; everything else must be as it was.
 */
export function stackFrames(stack: string, message: string): readonly string[] {
  const lines = stack.slice(Math.max(0, stack.indexOf(message)) + message.length).split("\n");
  const frames = lines.filter((line) => line.startsWith("    at ")).map((line) => line.slice(7));
  const end = frames.findIndex((frame) => PLAYER.test(frame));
  return frames.slice(0, end < 0 ? undefined : end).filter((frame, index) => {
    const isEntry = frame.startsWith("AsyncLocalStorage.run ") && OURS.test(frames[index + 1] ?? "");
    return !isEntry && !OURS.test(frame) && !frame.includes("(node:internal/");
  });
}
