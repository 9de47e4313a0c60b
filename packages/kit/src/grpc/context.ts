import type { Actor } from '../actor.js';
import type { Logger } from '../logger.js';

/** What a handler knows about the call it serves. */
export interface CallContext {
  readonly actor: Actor;
  /** The actor as it came, for passing on to the next service. */
  readonly actorToken: string;
  /** The same in every process a request passes through. */
  readonly requestId: string;
  /** When the caller stops waiting; null for a stream without end. */
  readonly deadline: Date | null;
  /** Aborted when the caller is gone, the deadline has passed, or the process stops. */
  readonly signal: AbortSignal;
  /**
   * The id a creating call gives its new object: a caller that repeats the call, because it never heard the answer, sends
   * the same one, and is to find the object that is there instead of getting a second. Absent when nobody cares.
   */
  readonly creationId?: string;
  /** Carries the request id and the method. */
  readonly log: Logger;
}

export const metadataKeys = {
  actor: 'panel-actor',
  requestId: 'panel-request-id',
  creationId: 'panel-creation-id',
} as const;
