/**
 * What the repair costs a Collector, in CPU time a span, as a ratio against the same Collector without it.
 *
 * node bench/repair.mjs [--rounds 10] [--spans 100000]
 *
 * Then the one with the repair gets 80 % of what a core takes for ten seconds, and must refuse and lose nothing.
 *
 * Two Collectors take turns, with collector.yaml as users run it, in the one repair.yaml, in the other nothing in its place. CPU time of the Collector
 * counts, not the clock. Ends with one line of JSON; exit code 1 where a target is missed.
 */
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { quartiles } from "./measure.mjs";
import { exportedBatch, SPANS } from "./repair/batch.mjs";
import { startMeasured } from "./repair/collector.mjs";

const MOST = 1.15;
const PIECES = 10;

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "10" }, spans: { type: "string", default: "100000" } },
});
const rounds = Number(values.rounds);
const requests = Math.ceil(Number(values.spans) / SPANS / PIECES);

const load = loadavg()[0];
const batch = await exportedBatch();
const subjects = {
  with: await startMeasured(["collector-config/collector.yaml", "collector-config/repair.yaml"]),
  without: await startMeasured(["collector-config/collector.yaml"], { processors: { "transform/tool_status": {} } }),
};
for (const subject of Object.values(subjects)) await subject.pass(batch, 50);

const micros = { with: [], without: [] };
for (let round = 0; round < rounds; round++) {
  const spent = { with: 0, without: 0 };
  for (let piece = 0; piece < PIECES; piece++) {
    for (const key of piece % 2 === 0 ? ["with", "without"] : ["without", "with"]) {
      const before = subjects[key].cpu();
      await subjects[key].pass(batch, requests);
      spent[key] += subjects[key].cpu() - before;
    }
  }
  for (const key of ["with", "without"]) micros[key].push((spent[key] * 1e6) / (requests * PIECES * SPANS));
}
const ratio = quartiles(micros.with.map((figure, round) => figure / micros.without[round]));
const cpu = { with: quartiles(micros.with), without: quartiles(micros.without) };
const perCore = Math.round(1e6 / cpu.with.median);
const perSecond = (0.8 * perCore) / SPANS;
const steady = await subjects.with.atRate(batch, Math.round(perSecond * 10), perSecond);
for (const subject of Object.values(subjects)) subject.stop();
const isMet = ratio.median <= MOST;
const isWhole = steady.refused === 0 && steady.arrived === steady.taken;
console.log(
  `${rounds} rounds of ${requests * PIECES * SPANS} spans each, request of ${batch.length} bytes, load ${load.toFixed(2)}`,
);
for (const [key, { lower, median, upper }] of Object.entries(cpu)) {
  console.log(
    `  ${key.padEnd(8)} CPU µs a span  ${[lower, median, upper].map((value) => value.toFixed(2).padStart(7)).join(" ")}`,
  );
}
console.log(
  `  ratio ${[ratio.lower, ratio.median, ratio.upper].map((value) => value.toFixed(3)).join(" ")}   ≤ ${MOST} ${isMet ? "met" : "MISSED"}`,
);
console.log(`  ${perCore} spans a second a core`);
console.log(
  `  at ${Math.round(perSecond * SPANS)} spans a second: ${steady.taken} requests taken, ${steady.refused} refused, ${steady.arrived} arrived`,
);
console.log(JSON.stringify({ load, rounds, spans: requests * PIECES * SPANS, micros: cpu, ratio, perCore, steady }));
process.exit(isMet && isWhole ? 0 : 1);
