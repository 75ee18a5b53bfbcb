/** Zero code changes nothing either: all scenarios in a process as it is, and in one started with `toolspan/register`. */
import { beforeAll, describe, expect, it } from "vitest";
import type { Account } from "../../support/differential/play.ts";
import { buildChild, playInChild } from "../../support/differential/run-child.ts";
import { scenarios } from "../../support/differential/scenarios.ts";
import { isLangChain1 } from "../../support/agent.ts";
import { useWorkshop } from "../../export/run-app.ts";

const workshop = useWorkshop();

describe.skipIf(!isLangChain1)("with toolspan/register, the same as without", () => {
  let accounts: readonly Readonly<Record<string, Account>>[];
  let spans = 0;
  beforeAll(async () => {
    const child = buildChild(workshop.dist);
    const { endpoint } = workshop.receiver;
    const doors = [undefined, `${workshop.dist}/register.js`];
    accounts = await Promise.all(doors.map((door) => playInChild(child, door, endpoint)));
    spans = workshop.receiver.spans.length;
  }, 60_000);

  it.each(scenarios.map(([title]) => title))("%s", (title) => {
    const [bare, watched] = accounts;
    expect(bare![title]).toBeDefined();
    expect(watched![title]).toEqual(bare![title]);
  });

  it("though it was watched", () => {
    expect(spans).toBeGreaterThan(scenarios.length * 0.8);
  });
});
