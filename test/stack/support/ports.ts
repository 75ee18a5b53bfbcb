import { createServer } from "node:net";

/** A loopback port that nobody listens on, never the same twice in a process: two programs are given theirs before either listens. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = await listenOnce();
    if (given.has(port)) continue;
    given.add(port);
    return port;
  }
}

const given = new Set<number>();

function listenOnce(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() =>
        typeof address === "object" && address ? resolve(address.port) : reject(new Error("no port")),
      );
    });
  });
}
