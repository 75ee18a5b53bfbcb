/**
 * Makes ready what test/stack runs: the Collector, Jaeger and two checkers, each built from its go.mod in test/stack/programs, Debian's
 * Prometheus and Alertmanager, Maven's Kafka, and a Python for the recipes. `node scripts/stack-programs.mjs [NAME…]` makes all, or only those
 * named, in .cache/stack.
 * A build is kept for the machine too, by the hash of what it is made of, so that a fresh clone starts warm. Any failure fails the run.
 */
import { parseArgs } from "node:util";
import { buildProgram, PROGRAMS } from "./stack/build-program.mjs";
import { installKafka } from "./stack/install-kafka.mjs";
import { installPrometheus } from "./stack/install-prometheus.mjs";
import { pythonEnvironment } from "./stack/python-environment.mjs";

const { positionals } = parseArgs({ allowPositionals: true });
const known = new Set([...PROGRAMS, "prometheus", "kafka", "python"]);
const unknown = positionals.filter((name) => !known.has(name));
if (unknown.length > 0) throw new Error(`no such program: ${unknown.join(", ")}`);

const wanted = (name) => positionals.length === 0 || positionals.includes(name);

// Jaeger takes as long as all the others together, so it has a lane of its own.
const lanes = [
  wanted("jaeger") ? [() => buildProgram("jaeger")] : [],
  [
    ...(wanted("prometheus") ? [installPrometheus] : []),
    ...(wanted("kafka") ? [installKafka] : []),
    ...PROGRAMS.filter((name) => name !== "jaeger" && wanted(name)).map((name) => () => buildProgram(name)),
    ...(wanted("python") ? [pythonEnvironment] : []),
  ],
];

await Promise.all(
  lanes.map(async (steps) => {
    for (const step of steps) console.log(await step());
  }),
);
