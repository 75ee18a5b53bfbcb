import { setTimeout as sleep } from "node:timers/promises";

/** Waits until the question is answered with yes (or with a value that is not undefined), and gives the answer. A minute at most. */
export async function until<T>(what: string, ask: () => Promise<T | false | undefined>, seconds = 60): Promise<T> {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    const answer = await ask();
    if (answer !== false && answer !== undefined) return answer;
    if (Date.now() > deadline) throw new Error(`not within ${seconds} s: ${what}`);
    await sleep(100);
  }
}
