import type { RpcPermission } from '@panel/protos/permissions';
import type { Actor } from './auth/actor.js';
import type { Logger, TraceContext } from '@panel/kit/process';

export interface CallContext {
  readonly actor: Actor;
  /** The called RPC's row, already applied by the gate. */
  readonly permission: RpcPermission;
  /** The received actor, for calls to other services. */
  readonly actorToken: string;
  /** Constant across all processes of a request. */
  readonly requestId: string;
  /** Trace context for outgoing calls; undefined without a trace. */
  readonly trace?: TraceContext | undefined;
  /** The caller's deadline; null for an endless stream. */
  readonly deadline: Date | null;
  /** Aborted on a disconnect, the deadline or the process's stop. */
  readonly signal: AbortSignal;
  /**
   * The `_id` of a created object (`createOnce`). A repeated call after a lost answer sends the same id and finds the
   * existing object. Bound to actor and method, so no caller gets another's object. Absent when irrelevant.
   */
  readonly idempotencyId?: string | undefined;
  /**
   * Accompanies `idempotencyId`: equal for repetitions, not derivable from the id, never stored. With a secret of the
   * service it derives one-time values, so that a repetition shows them again.
   */
  readonly idempotencySeed?: string | undefined;
  /** The list failed as a whole and is repeated: `presentEach` isolates damaged items. */
  readonly isolatesItems?: boolean | undefined;
  /** Includes the request id and the method. */
  readonly log: Logger;
}

export const metadataKeys = {
  actor: 'panel-actor',
  requestId: 'panel-request-id',
  idempotencyId: 'panel-idempotency-id',
  traceparent: 'traceparent',
  tracestate: 'tracestate',
} as const;
