/** A Collector that is measured: its CPU time, and what it took, refused, sent. */
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { request, Agent } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const agent = new Agent({ keepAlive: true, maxSockets: 4 });

/** @param {readonly string[]} configs @param {object} [override] a last `--config` */
export async function startMeasured(configs, override) {
  const folder = mkdtempSync(join(tmpdir(), "toolspan-bench-"));
  const [http, grpc, health, scrape, self] = await Promise.all(Array.from({ length: 5 }, freePort));
  const sink = await startSink();
  const files = [...configs];
  if (override) {
    files.push(join(folder, "override.yaml"));
    writeFileSync(files.at(-1), JSON.stringify(override));
  }
  const env = {
    OTLP_HTTP: `127.0.0.1:${http}`,
    OTLP_GRPC: `127.0.0.1:${grpc}`,
    HEALTH_ENDPOINT: `127.0.0.1:${health}`,
    PROM_EXPORT: `127.0.0.1:${scrape}`,
    SELF_METRICS_PORT: String(self),
    QUEUE_DIR: folder,
    JAEGER_OTLP: sink.url,
    MEMORY_LIMIT_MIB: "2048",
    MEMORY_SPIKE_MIB: "512",
  };
  const child = spawn(
    ".cache/stack/otelcol",
    files.flatMap((file) => ["--config", file]),
    { env, stdio: ["ignore", "ignore", "inherit"] },
  );
  while (!(await fetch(`http://${env.HEALTH_ENDPOINT}/`).catch(() => undefined))?.ok) {
    if (child.exitCode !== null) throw new Error(`the Collector ended with ${child.exitCode}`);
    await sleep(100);
  }
  return {
    /** Sends the body so often, and waits until all of it has come out. Refusals throw. */
    async pass(body, times) {
      const until = sink.count() + times;
      await Promise.all(Array.from({ length: times }, () => post(`http://${env.OTLP_HTTP}/v1/traces`, body)));
      while (sink.count() < until) await sleep(5);
    },
    /**
     * Sends so many requests at a steady rate, and waits until what was taken has come out or a minute is over.
     * @returns {Promise<{ taken: number, refused: number, arrived: number }>}
     */
    async atRate(body, times, perSecond) {
      const before = sink.count();
      const started = performance.now();
      const sent = [];
      for (let index = 0; index < times; index++) {
        await sleep(Math.max(0, started + (index * 1000) / perSecond - performance.now()));
        sent.push(post(`http://${env.OTLP_HTTP}/v1/traces`, body));
      }
      const refused = (await Promise.allSettled(sent)).filter(({ status }) => status === "rejected").length;
      const taken = times - refused;
      for (let waited = 0; sink.count() < before + taken && waited < 60_000; waited += 50) await sleep(50);
      return { taken, refused, arrived: sink.count() - before };
    },
    /** Seconds on a processor so far: that of its threads (Linux), finer than the ticks in /proc/PID/stat. */
    cpu() {
      const tasks = `/proc/${child.pid}/task`;
      const nanoseconds = readdirSync(tasks).map((task) =>
        Number(readFileSync(`${tasks}/${task}/schedstat`, "utf8").split(" ")[0]),
      );
      return nanoseconds.reduce((sum, one) => sum + one, 0) / 1e9;
    },
    stop: () => (child.kill(), sink.stop()),
  };
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

async function startSink() {
  let count = 0;
  const server = createServer((incoming, response) => {
    incoming.resume().on("end", () => {
      count += 1;
      response.setHeader("content-type", "application/x-protobuf").end();
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    count: () => count,
    stop: () => (server.close(), server.closeAllConnections()),
  };
}

function post(url, body) {
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method: "POST",
      agent,
      headers: { "content-type": "application/x-protobuf", "content-length": body.length },
    });
    sent.on("error", reject).on("response", (response) => {
      response
        .resume()
        .on("end", () =>
          response.statusCode === 200 ? resolve() : reject(new Error(`refused: ${response.statusCode}`)),
        );
    });
    sent.end(body);
  });
}
