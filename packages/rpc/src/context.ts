import type { RpcPermission } from '@panel/protos/permissions';
import type { Actor } from './auth/actor.js';
import type { Logger, TraceContext } from '@panel/kit/process';

export interface CallContext {
  readonly actor: Actor;
  /** Already applied by the gate. */
  readonly permission: RpcPermission;
  /** For calls to other services. */
  readonly actorToken: string;
  /** Constant across all processes of a request. */
  readonly requestId: string;
  /** For outgoing calls; undefined without a trace. */
  readonly trace?: TraceContext | undefined;
  /** The caller's deadline; null for an endless stream. */
  readonly deadline: Date | null;
  /** Aborted on a disconnect, the deadline or the process's stop. */
  readonly signal: AbortSignal;
  /**
   * The `_id` of a created object (`createOnce`): a repeated call after a lost answer finds it. Bound to actor and
   * method. Absent when irrelevant.
   */
  readonly idempotencyId?: string | undefined;
  /**
   * Equal for repetitions, not derivable from the id, never stored. With a secret of the service it derives one-time
   * values, which a repetition shows again.
   */
  readonly idempotencySeed?: string | undefined;
  /** The list is repeated after a failure: `presentEach` isolates damaged items. */
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
