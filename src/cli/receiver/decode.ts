import protobuf from "protobufjs/light.js";
import type { Message } from "./field.ts";
import { asMessage, messagesField } from "./field.ts";
import { OTLP } from "./schema.ts";

/** The two encodings that OTLP/HTTP has. */
export type Encoding = "json" | "protobuf";

export const CONTENT_TYPES = { json: "application/json", protobuf: "application/x-protobuf" } as const;

const root = protobuf.Root.fromJSON(OTLP);

/** The encoding that a `content-type` header names; its parameters, such as a charset, change nothing. */
export function encodingOf(contentType: string | undefined): Encoding | undefined {
  const type = contentType?.split(";")[0]?.trim().toLowerCase();
  if (type === CONTENT_TYPES.json) return "json";
  return type === CONTENT_TYPES.protobuf || type === "application/protobuf" ? "protobuf" : undefined;
}

/**
 * Decodes a request's body; both encodings give the same fields.
 * @param type the name of the message, such as `ExportTraceServiceRequest`
 * @throws where the body is no such message
 */
export function decodeRequest(type: string, body: Uint8Array, encoding: Encoding): Message {
  if (encoding === "json") {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(body);
    return asMessage(JSON.parse(text) as unknown, "the body");
  }
  const message = root.lookupType(type);
  return message.toObject(message.decode(body), { longs: String });
}

/** A refusal's body: a `google.rpc.Status` in the encoding of the request. */
export function encodeStatus(code: number, message: string, encoding: Encoding): Uint8Array {
  if (encoding === "json") return Buffer.from(JSON.stringify({ code, message }));
  return root.lookupType("RpcStatus").encode({ code, message }).finish();
}

/** The body that says that everything was taken: an `Export…ServiceResponse` without a partial success. */
export function encodeSuccess(encoding: Encoding): Uint8Array {
  return Buffer.from(encoding === "json" ? "{}" : "");
}

/** How many records an `ExportLogsServiceRequest` holds. */
export function countLogRecords(request: Message): number {
  return messagesField(request, "resourceLogs")
    .flatMap((ofResource) => messagesField(ofResource, "scopeLogs"))
    .reduce((sum, ofScope) => sum + messagesField(ofScope, "logRecords").length, 0);
}
