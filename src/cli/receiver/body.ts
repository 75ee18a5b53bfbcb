import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { gunzip, inflate } from "node:zlib";
import { Refusal } from "./refusal.ts";

/** The most a request may hold, as sent and unpacked. */
export const MOST_BYTES = 64 * 1024 * 1024;

const unpackers = { gzip: promisify(gunzip), "x-gzip": promisify(gunzip), deflate: promisify(inflate) };

/** Reads and unpacks a request's body. */
export async function readBody(request: IncomingMessage): Promise<Uint8Array> {
  const packing = request.headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
  const unpack = Object.hasOwn(unpackers, packing) ? unpackers[packing as keyof typeof unpackers] : undefined;
  if (!unpack && packing !== "identity" && packing !== "") {
    throw new Refusal(415, `content-encoding "${packing}" is not known; send gzip, deflate or none`);
  }
  const sent = await collect(request);
  if (!unpack) return sent;
  try {
    return await unpack(sent, { maxOutputLength: MOST_BYTES });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") throw tooLarge();
    throw new Refusal(400, `the body is not ${packing}: ${(error as Error).message}`);
  }
}

function collect(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MOST_BYTES) {
        chunks.push(chunk);
      } else {
        // The rest is read and dropped: a client hears the answer only after it has sent everything.
        chunks = [];
        reject(tooLarge());
      }
    });
    request.on("end", () => resolve(Buffer.concat(chunks)));
    request.on("error", reject);
  });
}

function tooLarge(): Refusal {
  return new Refusal(413, `the body is larger than ${MOST_BYTES} bytes`);
}
