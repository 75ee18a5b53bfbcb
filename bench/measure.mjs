/** CPU time and kept bytes, measured so that a busy machine and the order of things do not decide. */

/**
 * A round is cut into pieces and the subjects take turns, so that slow moments fall on all of them. Two equal handlers
 * differed by 4 % in the median with 4 pieces, with 20 by 1 % in most runs.
 */
const PIECES = 20;

/** The recorder remembers some thousand keys of ended runs; they are there before the count begins. */
const WARM_UP = 6000;

/**
 * CPU microseconds a call (user and system time of the whole process) of each subject in each round.
 *
 * @param subjects `{ [key]: { call, flush } }`
 * @param warmUp calls of each subject before the count begins
 * @returns `{ [key]: number[] }`, one figure a round
 */
export async function measureCpu(subjects, { rounds, calls, warmUp = Math.max(2000, calls) }) {
  const keys = Object.keys(subjects);
  const perPiece = Math.max(1, Math.ceil(calls / PIECES));
  const figures = Object.fromEntries(keys.map((key) => [key, []]));
  for (const key of keys) await repeat(subjects[key], warmUp);
  for (let round = 0; round < rounds; round++) {
    const spent = Object.fromEntries(keys.map((key) => [key, 0]));
    for (let piece = 0; piece < PIECES; piece++) {
      for (const key of turned(keys, round * PIECES + piece)) {
        globalThis.gc({ type: "minor" }); // nobody pays for the garbage of the one before
        const before = process.cpuUsage();
        await repeat(subjects[key], perPiece);
        const { user, system } = process.cpuUsage(before);
        spent[key] += user + system;
      }
    }
    for (const key of keys) figures[key].push(spent[key] / (perPiece * PIECES));
  }
  return figures;
}

/** Every second turn goes backwards, so that each subject follows each of its neighbours as often. */
function turned(keys, turn) {
  const at = turn % keys.length;
  const order = [...keys.slice(at), ...keys.slice(0, at)];
  return turn % 2 === 0 ? order : order.toReversed();
}

/** Handing on to the exporter belongs to the price of a span. */
async function repeat(subject, calls) {
  for (let call = 0; call < calls; call++) await subject.call();
  await subject.flush();
}

/** Bytes of heap still held for each repetition of `work`, after a full collection. */
export async function measureKept(work, times, warmUp = WARM_UP) {
  for (let count = 0; count < warmUp; count++) await work(`warm-${count}`);
  const before = await settledHeap();
  for (let count = 0; count < times; count++) await work(`run-${count}`);
  return ((await settledHeap()) - before) / times;
}

async function settledHeap() {
  for (let pass = 0; pass < 4; pass++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    globalThis.gc();
  }
  return process.memoryUsage().heapUsed;
}

/** Lower quartile, median and upper quartile. */
export function quartiles(values) {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (share) => {
    const place = share * (sorted.length - 1);
    const low = sorted[Math.floor(place)];
    return low + (sorted[Math.ceil(place)] - low) * (place - Math.floor(place));
  };
  return { lower: at(0.25), median: at(0.5), upper: at(0.75) };
}
