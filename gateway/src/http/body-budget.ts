import type { IncomingMessage, ServerResponse } from 'node:http';
import { fail } from '../reasons.js';

/** Per process. */
export class BodyBudget {
  #reservedBytes = 0;
  readonly #byResponse = new WeakMap<ServerResponse, number>();

  constructor(private readonly maxBytes: number) {}

  /** Until the response closes. Throws BODY_BUDGET_EXHAUSTED. */
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

/** Null: chunked. */
export function declaredLength(request: IncomingMessage): number | null {
  const { 'content-length': length } = request.headers;
  return length === undefined ? null : Number(length);
}
