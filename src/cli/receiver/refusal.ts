/** A request that is not taken: the HTTP status, and what to tell the client. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }

  /** The `google.rpc.Code` that goes with it: INVALID_ARGUMENT, NOT_FOUND, RESOURCE_EXHAUSTED, UNIMPLEMENTED. */
  get rpcCode(): number {
    const codes: Readonly<Record<number, number>> = { 404: 5, 405: 12, 413: 8, 415: 12 };
    return codes[this.status] ?? 3;
  }
}
