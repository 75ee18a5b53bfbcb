/**
 * What watching a tool call costs, as ratios against handlers that do the least possible.
 *
 * node --expose-gc bench/overhead.mjs [--rounds 21] [--calls 1000] [--runs 20000] [--open 2000]
 *
 * All subjects take turns in one process; CPU time counts, not the clock. The ratio is taken in each round and the
 * quartiles are over the rounds. Ends with one line of JSON; exit code 1 where a target is missed.
 */
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { measureCpu, measureKept, quartiles } from "./measure.mjs";
import { createSubjects } from "./subjects.mjs";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "21" },
    calls: { type: "string", default: "1000" },
    runs: { type: "string", default: "20000" },
    open: { type: "string", default: "2000" },
  },
});
const [rounds, calls, runs, open] = ["rounds", "calls", "runs", "open"].map((name) => wholeNumber(name, values[name]));
if (!globalThis.gc) throw new Error("run it with: node --expose-gc bench/overhead.mjs");

const RATIOS = [
  { name: "recording / bare-span", subject: "recording", base: "bare", most: 1.15 },
  { name: "sampled out / empty", subject: "sampledOut", base: "empty", most: 1.05 },
  { name: "no SDK / empty", subject: "noSdk", base: "empty", most: 1.05 },
  { name: "wrap / bare span round the call", subject: "wrap", base: "inline", most: 1.2 },
  { name: "wrap and handler / bare-span", subject: "both", base: "bare", most: 1.2 },
  // No target: what it costs to start spans that are dropped, and what we add to that (the metric still counts).
  { name: "bare, sampled out / empty", subject: "bareOff", base: "empty" },
  { name: "sampled out / bare, sampled out", subject: "sampledOut", base: "bareOff" },
];

const loadBefore = loadavg()[0];
const subjects = createSubjects();
const kept = await keptBytes();
const figures = await measureCpu(subjects, { rounds, calls });

console.log(`node ${process.version}, ${rounds} rounds of ${calls} calls a subject, load ${loadBefore.toFixed(2)}\n`);
console.log("CPU µs a call of an empty tool       lower   median    upper");
for (const [key, { name }] of Object.entries(subjects)) {
  const { lower, median, upper } = quartiles(figures[key]);
  console.log(`  ${name.padEnd(32)} ${column(lower)} ${column(median)} ${column(upper)}`);
}
console.log("\nratio, round by round                lower   median    upper   target");
const ratios = RATIOS.map(({ name, subject, base, most }) => {
  const ratio = quartiles(figures[subject].map((figure, round) => figure / figures[base][round]));
  const isMet = most === undefined || ratio.median <= most;
  const target = most === undefined ? "" : `   ≤ ${most.toFixed(2)} ${isMet ? "met" : "MISSED"}`;
  const columns = [ratio.lower, ratio.median, ratio.upper].map((value) => column(value, 3)).join(" ");
  console.log(`  ${name.padEnd(32)} ${columns}${target}`);
  return { name, ...ratio, most, isMet };
});
console.log(`\nbytes kept a finished run (${runs} runs): ${kept.finished.toFixed(1)}`);
console.log(`bytes kept an open run (${open} runs): ${kept.open.toFixed(0)}, bare span ${kept.openBare.toFixed(0)}`);
const medians = Object.fromEntries(Object.keys(subjects).map((key) => [key, quartiles(figures[key]).median]));
console.log(
  JSON.stringify({ node: process.version, load: loadBefore, rounds, calls, cpuMicros: medians, ratios, kept }),
);
process.exitCode = ratios.every(({ isMet }) => isMet) ? 0 : 1;

async function keptBytes() {
  const { recording } = subjects;
  const finished = await measureKept(recording.call, runs);
  const openRun = await measureKept(startOnly(recording), open, open);
  recording.handler.shutdown();
  const openBare = await measureKept(startOnly(createSubjects().bare), open, open);
  subjects.recording = createSubjects().recording; // the one before is shut down
  return { finished, open: openRun, openBare };
}

function startOnly({ handler }) {
  return (runId) => handler.handleToolStart({}, "{}", runId, undefined, [], {}, "empty");
}

function column(value, digits = 1) {
  return value.toFixed(digits).padStart(8);
}

function wholeNumber(name, text) {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) throw new Error(`--${name} must be a whole number above 0`);
  return number;
}
