import type { RpcPermission } from '@panel/protos/permissions';
import type { Actor } from './auth/actor.js';
import type { Logger, TraceContext } from '@panel/kit/process';

/** What a handler knows about the call it serves. */
export interface CallContext {
  readonly actor: Actor;
  /** The row of the called RPC in the table of permissions. The gate before the handler has applied it. */
  readonly permission: RpcPermission;
  /** The actor as it came, for passing on to the next service. */
  readonly actorToken: string;
  /** The same in every process a request passes through. */
  readonly requestId: string;
  /** Where the call stands in a trace, for the calls it makes; undefined without a trace. */
  readonly trace?: TraceContext | undefined;
  /** When the caller stops waiting; null for a stream without end. */
  readonly deadline: Date | null;
  /** Aborted when the caller is gone, the deadline has passed, or the process stops. */
  readonly signal: AbortSignal;
  /**
   * The `_id` a creating call gives its new object (`createOnce`): a caller that repeats the call, because it never heard
   * the answer, sends the same id, and is to find the object that is there instead of getting a second. What was sent is
   * bound to the actor and the method: no caller meets the object of another one. Absent when it does not matter.
   */
  readonly idempotencyId?: string | undefined;
  /**
   * Goes with `idempotencyId`: the same for the same call, not to be learnt from the id, and stored nowhere. Together with a
   * secret of the service it makes what is shown only once, so that it can be shown again to a repetition.
   */
  readonly idempotencySeed?: string | undefined;
  /** The list failed as a whole and is asked for again: `presentEach` isolates its damaged items. */
  readonly isolatesItems?: boolean | undefined;
  /** Carries the request id and the method. */
  readonly log: Logger;
}

export const metadataKeys = {
  actor: 'panel-actor',
  requestId: 'panel-request-id',
  idempotencyId: 'panel-idempotency-id',
  traceparent: 'traceparent',
  tracestate: 'tracestate',
} as const;
