import { randomUUID } from 'node:crypto';

/** A message that waits for its consumer. The payload is plain JSON, dates included; its keys hold no dot and no `$`. */
export interface OutboxEntry<P> {
  /** The consumer recognises a repeated delivery by it. */
  readonly id: string;
  readonly at: Date;
  readonly payload: P;
}

/** Create an entry with a new id, unless the caller derives one from the change itself. */
export function createEntry<P>(payload: P, at: Date, id: string = randomUUID()): OutboxEntry<P> {
  return { id, at, payload };
}
