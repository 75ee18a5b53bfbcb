import { createServer } from "node:net";
import type { AddressInfo } from "node:net";

/** Accepts connections and never answers. */
export async function withHangingCollector(body: (endpoint: string) => Promise<void>): Promise<void> {
  const server = createServer((socket) => socket.on("error", () => {}).resume());
  await new Promise<void>((listening) => {
    server.listen(0, "127.0.0.1", listening);
  });
  try {
    await body(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.close();
  }
}
