/** The repair behind and before the Collector's own normalizer of GenAI attributes. */
import { describe, expect, it } from "vitest";
import { normalized } from "./support/normalizer.ts";
import { type Span, spansOf } from "./support/otlp.ts";
import { readRecordings } from "./support/recordings.ts";
import { startRepair } from "./support/repair.ts";

const recordings = ["python", "js"].flatMap(
  (folder) => readRecordings(new URL(`recordings/${folder}`, import.meta.url).pathname).recordings,
);
const requests = recordings.map(({ request }) => request);

describe("the repair finds the same behind gen_ai_normalizer", () => {
  it.each([
    ["originals kept", false],
    ["originals removed", true],
  ])("%s", async (_, removeOriginals) => {
    const { pass } = await startRepair();
    const renamed = requests.map((request) => normalized(request, { removeOriginals }));
    expect(renamed).not.toEqual(requests);
    const plain = await pass(requests);
    const behind = await pass(renamed);
    const verdicts = (spans: typeof plain): readonly unknown[] =>
      spans.map((ofTracer, index) => [
        recordings[index]?.tracer,
        ofTracer.map(({ name, status, description, attributes }) => [
          name,
          status,
          description,
          attributes["toolspan.outcome"],
        ]),
      ]);
    expect(verdicts(behind)).toEqual(verdicts(plain));
    const repaired = plain.flat().filter(({ attributes }) => attributes["toolspan.repaired"] === true);
    expect(repaired.length).toBeGreaterThan(100);
  });

  it("is the same when results are read in full, as they are for their texts", async () => {
    const [usual, full] = [await startRepair(), await startRepair({ TOOLSPAN_TOOL_TEXT: "on" })];
    const statuses = (spans: readonly (readonly Span[])[]): readonly unknown[] =>
      spans.map((ofTracer) => ofTracer.map(({ name, status }) => [name, status]));
    expect(statuses(await full.pass(requests))).toEqual(statuses(await usual.pass(requests)));
  });

  it("takes none of its targets for a result before it", async () => {
    const { pass } = await startRepair();
    const once = await pass(requests);
    expect(once.flat().map(({ name }) => name)).toEqual(requests.flatMap(spansOf).map(({ name }) => name));
  });
});
