import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace";

/** What the SDK's exporters report; the SDK's own type is in a package that need not be installed. */
type ExportResult = Parameters<Parameters<SpanExporter["export"]>[1]>[0];

const FAILED = 1;

/** Few enough for a small collector, and enough that the bound of a flush is not spent on waiting. */
const LANES = 4;

/**
 * Sends a batch of any size in requests of at most `mostSpans` spans.
 *
 * The SDK's batch processor does this as well, but one request after the other, and each holds timers that keep Node alive:
 * where no collector runs, the burst of a script's last moment would hold its end up for the time limit of every request.
 * Here the first request that gets no answer ends the batch.
 */
export function inRequests(exporter: SpanExporter, mostSpans: number): SpanExporter {
  const pending = new Set<Promise<void>>();
  const settled = async (): Promise<void> => {
    await Promise.all(pending);
  };
  return {
    export(spans, done) {
      const sending = report(sendAll(exporter, chunks(spans, mostSpans)), done);
      pending.add(sending);
      void sending.finally(() => pending.delete(sending));
    },
    forceFlush: settled,
    async shutdown() {
      await settled();
      await exporter.shutdown();
    },
  };
}

async function report(result: Promise<ExportResult>, done: (result: ExportResult) => void): Promise<void> {
  done(await result);
}

/** The result is the first failure, if there is one. */
async function sendAll(exporter: SpanExporter, requests: Iterator<ReadableSpan[]>): Promise<ExportResult> {
  let result: ExportResult = { code: 0 };
  let answered = true;
  const lane = async (): Promise<void> => {
    for (let next = requests.next(); !next.done && answered; next = requests.next()) {
      const sent = await send(exporter, next.value);
      if (sent.code !== FAILED) continue;
      if (result.code !== FAILED) result = sent;
      if (!isAnswer(sent.error)) answered = false;
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return result;
}

function send(exporter: SpanExporter, spans: ReadableSpan[]): Promise<ExportResult> {
  return new Promise<ExportResult>((resolve) => {
    exporter.export(spans, resolve);
  }).catch((error: Error) => ({ code: FAILED, error }));
}

/** A refusal of one request (the exporter's error then has the HTTP status) says nothing of the next. */
function isAnswer(error: Error | undefined): boolean {
  return typeof (error as { code?: unknown } | undefined)?.code === "number";
}

function* chunks(spans: ReadableSpan[], size: number): Generator<ReadableSpan[]> {
  for (let from = 0; from < spans.length; from += size) yield spans.slice(from, from + size);
}
