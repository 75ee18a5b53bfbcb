/**
 * Records how a framework's own tracing writes each scenario: `node record.mjs FRAMEWORK` prints OTLP/JSON request lines, a scenario each.
 * Models are scripted: they ask for the tool once and then answer. Needs Node 22.
 */
import { recorder } from "../recorder.mjs";
import { scenarios } from "./scenarios.mjs";

const { provider, flushLine } = recorder();
const { run } = await import(`./${process.argv[2]}.mjs`);

for (const scenario of scenarios) {
  await run(scenario, provider).catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 100));
  console.log(await flushLine(scenario.name));
}
process.exit(0);
