import type { IncomingMessage, ServerResponse } from 'node:http';
import { fail } from '../reasons.js';

/** Bounds the memory of buffered request bodies over all requests of this process. */
export class BodyBudget {
  #reservedBytes = 0;
  readonly #byResponse = new WeakMap<ServerResponse, number>();

  constructor(private readonly maxBytes: number) {}

  /**
   * Reserve memory for the body of a request until its response is closed. Throws BODY_BUDGET_EXHAUSTED when the bodies in
   * flight would exceed the budget.
   */
  reserve(response: ServerResponse, bytes: number): void {
    if (this.#reservedBytes + bytes > this.maxBytes) {
      throw fail('BODY_BUDGET_EXHAUSTED', 'too many large requests are in progress');
    }
    this.#reservedBytes += bytes;
    const reserved = this.#byResponse.get(response);
    this.#byResponse.set(response, (reserved ?? 0) + bytes);
    if (reserved === undefined) response.once('close', () => this.#release(response));
  }

  #release(response: ServerResponse): void {
    this.#reservedBytes -= this.#byResponse.get(response) ?? 0;
  }
}

/** The declared length of a body; null for a chunked request. */
export function declaredLength(request: IncomingMessage): number | null {
  const { 'content-length': length } = request.headers;
  return length === undefined ? null : Number(length);
}
