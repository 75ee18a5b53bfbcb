#!/usr/bin/env node
import { main } from "./main.ts";

const { stdout, stderr, env } = process;
// Not process.exit: what was written to a pipe may still be on its way.
process.exitCode = await main(process.argv.slice(2), { stdout, stderr, env, cwd: process.cwd() });
