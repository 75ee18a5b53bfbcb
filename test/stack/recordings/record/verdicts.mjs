/** What is true of each scenario, as `verdicts.json` says it. */
import { scenarios as frameworks } from "./frameworks/scenarios.mjs";
import { scenarios as langchain } from "./langchain-scenarios.mjs";

const verdicts = [...langchain, ...frameworks].map(({ name, truth, why }) => [name, { truth, ...(why && { why }) }]);
console.log(JSON.stringify(Object.fromEntries(verdicts), undefined, 1));
