import { randomUUID } from 'node:crypto';

/** The payload is plain JSON and dates; keys contain neither dots nor `$`. */
export interface OutboxEntry<P> {
  readonly id: string;
  readonly at: Date;
  readonly payload: P;
}

/** The caller may derive an id from the change. */
export function createEntry<P>(payload: P, at: Date, id: string = randomUUID()): OutboxEntry<P> {
  return { id, at, payload };
}
