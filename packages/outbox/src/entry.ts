import { randomUUID } from 'node:crypto';

/** A pending message. The payload is plain JSON and dates; its keys contain neither dots nor `$`. */
export interface OutboxEntry<P> {
  /** For the consumer's detection of repeated deliveries. */
  readonly id: string;
  readonly at: Date;
  readonly payload: P;
}

/** With a new id unless the caller derives one from the change. */
export function createEntry<P>(payload: P, at: Date, id: string = randomUUID()): OutboxEntry<P> {
  return { id, at, payload };
}
