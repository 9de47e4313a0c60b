import type { IncomingMessage, ServerResponse } from 'node:http';
import { fail } from '../reasons.js';

/** One caller holds a quarter at most. */
const callerShare = 4;

interface Reservation {
  readonly caller: string;
  bytes: number;
}

/** Per process. */
export class BodyBudget {
  #reservedBytes = 0;
  readonly #byCaller = new Map<string, number>();
  readonly #byResponse = new WeakMap<ServerResponse, Reservation>();

  constructor(private readonly maxBytes: number) {}

  /** Until the response closes. `caller`: a user or an address. Throws BODY_BUDGET_EXHAUSTED. */
  reserve(response: ServerResponse, caller: string, bytes: number): void {
    if (this.#reservedBytes + bytes > this.maxBytes) {
      throw fail('BODY_BUDGET_EXHAUSTED', 'too many large requests are in progress');
    }
    const held = (this.#byCaller.get(caller) ?? 0) + bytes;
    if (held > this.maxBytes / callerShare) {
      throw fail('BODY_BUDGET_EXHAUSTED', 'too many of your own large requests are in progress');
    }
    this.#reservedBytes += bytes;
    this.#byCaller.set(caller, held);
    const reservation = this.#byResponse.get(response);
    if (reservation) {
      reservation.bytes += bytes;
      return;
    }
    const first = { caller, bytes };
    this.#byResponse.set(response, first);
    response.once('close', () => this.#release(first));
  }

  #release({ caller, bytes }: Reservation): void {
    this.#reservedBytes -= bytes;
    const rest = (this.#byCaller.get(caller) ?? 0) - bytes;
    if (rest > 0) this.#byCaller.set(caller, rest);
    else this.#byCaller.delete(caller);
  }
}

/** Null: chunked. */
export function declaredLength(request: IncomingMessage): number | null {
  const { 'content-length': length } = request.headers;
  return length === undefined ? null : Number(length);
}
