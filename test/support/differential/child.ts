/** A process that plays every scenario and prints what its application saw. It knows nothing of toolspan. */
import { unwatched, unwatchedBut } from "./application.ts";
import { useContexts } from "./callers-context.ts";
import type { Account } from "./play.ts";
import { play } from "./play.ts";
import { scenarios } from "./scenarios.ts";

// Started with `--import toolspan/register` it is watched all the same.
const way = process.argv[2] === "watched" ? { ...unwatched, stepsToFollow: 1 } : unwatchedBut;
useContexts();
const accounts: Record<string, Account> = {};
for (const scenario of scenarios) accounts[scenario[0]] = await play(scenario, way);
process.stdout.write(JSON.stringify(accounts));
