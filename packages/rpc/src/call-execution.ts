import { randomUUID } from 'node:crypto';
import { type Actor, type ActorSigner, authorizeCall } from './auth/actor.js';
import { AppError } from '@panel/kit/errors';
import { type Logger, type Metrics, type TraceContext, traceIdOf, type Tracing } from '@panel/kit/process';
import type { RpcPermission } from '@panel/protos/permissions';
import type { CallContext } from './context.js';
import { deriveIdempotencyId } from './idempotency.js';
import { visibleError } from './status.js';
import type { ServiceDefinition } from './types.js';
import { Histogram } from 'prom-client';

export interface ServedCalls {
  readonly signer: ActorSigner;
  readonly log: Logger;
  readonly timers: CallTimers | undefined;
  readonly tracing?: Tracing | undefined;
  /** By path. Absent: the handlers check. */
  readonly permissionOf?: ((path: string) => RpcPermission | undefined) | undefined;
}

export type Method = ServiceDefinition[string];
export type Invoke = (request: unknown, context: CallContext) => unknown;

export interface CallMetadata {
  readonly actorToken: string;
  readonly requestId: string | undefined;
  readonly idempotencyId: string | undefined;
  readonly trace: TraceContext | undefined;
  /** Unix milliseconds; Infinity without one. */
  readonly deadline: number;
}

/** Before the caller's deadline, to report the slow sub-call. */
const deadlineMarginMs = 50;
/** For callers without a deadline. */
const defaultUnaryMs = 30_000;

/** A measured call, traced with a collector. */
interface ObservedCall {
  /** With the call's own trace context. */
  readonly head: CallMetadata;
  /** `code`: the status name. */
  readonly finish: (code: string) => void;
}

export function observe(path: string, head: CallMetadata, { timers, tracing }: ServedCalls): ObservedCall {
  const finishTimer = timers?.start(path);
  const work = tracing?.begin(path.slice(1), head.trace);
  return {
    head: work ? { ...head, trace: work.context } : head,
    finish: (code) => {
      finishTimer?.(code);
      work?.end(isFailure(code) ? code : null);
    },
  };
}

/** The caller's errors are no service failures. */
function isFailure(code: string): boolean {
  return ['INTERNAL', 'UNAVAILABLE', 'DEADLINE_EXCEEDED'].includes(code);
}

/**
 * Creates its AbortController only when the signal is used, because it costs as much as all other overhead of a small
 * call.
 */
export class Cancellation {
  #reason: AppError | null = null;
  #controller: AbortController | null = null;
  #onAbort: ((reason: AppError) => void) | null = null;

  abort(reason: AppError): void {
    if (this.#reason) return;
    this.#reason = reason;
    this.#controller?.abort(reason);
    this.#onAbort?.(reason);
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#reason) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }

  /** Rejects with the abort's reason. */
  async orAborted(result: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#reason) reject(this.#reason);
      this.#onAbort = reject;
      Promise.resolve(result).then(resolve, reject);
    });
  }
}

const ungated: RpcPermission = {};

/** Throws ACTOR_INVALID without an actor, and as `authorizeCall`. */
export class ServerCallContext implements CallContext {
  readonly actor: Actor;
  readonly actorToken: string;
  readonly requestId: string;
  readonly trace: TraceContext | undefined;
  readonly idempotencyId: string | undefined;
  readonly idempotencySeed: string | undefined;
  readonly permission: RpcPermission;
  isolatesItems = false;
  #log: Logger | null = null;

  constructor(
    head: CallMetadata,
    readonly deadline: Date | null,
    private readonly served: {
      readonly path: string;
      readonly calls: ServedCalls;
      readonly signalOf: () => AbortSignal;
    },
  ) {
    this.actorToken = head.actorToken;
    this.requestId = head.requestId ?? randomUUID();
    this.trace = head.trace;
    this.actor = served.calls.signer.verify(head.actorToken);
    this.permission = served.calls.permissionOf?.(served.path) ?? ungated;
    if (served.calls.permissionOf) authorizeCall(this.permission, this.actor);
    if (head.idempotencyId === undefined || !uuid.test(head.idempotencyId)) return;
    const creation = deriveIdempotencyId(head.idempotencyId, this.actor, served.path);
    this.idempotencyId = creation?.idempotencyId;
    this.idempotencySeed = creation?.idempotencySeed;
  }

  get signal(): AbortSignal {
    return this.served.signalOf();
  }

  get log(): Logger {
    this.#log ??= this.served.calls.log.child({
      requestId: this.requestId,
      traceId: traceIdOf(this.trace),
      rpc: this.served.path,
    });
    return this.#log;
  }
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Throws the handler's error or the abort's reason; both are logged. */
export async function serveCall(
  { method, invoke }: { readonly method: Method; readonly invoke: Invoke },
  given: CallMetadata,
  request: unknown,
  cancellation: Cancellation,
  calls: ServedCalls,
): Promise<Buffer> {
  const { head, finish } = observe(method.path, given, calls);
  const endsAt = replyDeadline(head) ?? Date.now() + defaultUnaryMs;
  const timer = setTimeout(() => cancellation.abort(deadlineExceeded(method)), coarsenTimeout(endsAt - Date.now()));
  try {
    const signalOf = () => cancellation.signal;
    const context = new ServerCallContext(head, new Date(endsAt), { path: method.path, calls, signalOf });
    const payload = await encodeAnswer(method, context, async () => cancellation.orAborted(invoke(request, context)));
    finish('OK');
    return payload;
  } catch (error) {
    finish(logFailure(error, method, head, calls.log));
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

const listPath = /\/List[^/]*$/;

/** A list with a damaged record is repeated item by item. */
async function encodeAnswer(
  method: Method,
  context: ServerCallContext,
  answer: () => Promise<unknown>,
): Promise<Buffer> {
  try {
    return method.responseSerialize((await answer()) as never);
  } catch (error) {
    if (!listPath.test(method.path) || visibleError(error)) throw error;
    context.log.error({ err: error }, 'a list contains a damaged record');
    context.isolatesItems = true;
    return method.responseSerialize((await answer()) as never);
  }
}

/** Unix milliseconds; null without a deadline. */
export function replyDeadline({ deadline }: CallMetadata): number | null {
  if (!Number.isFinite(deadline)) return null;
  return deadline - Math.min(deadlineMarginMs, (deadline - Date.now()) / 10);
}

/** Node shares one list per timer length. */
export function coarsenTimeout(ms: number): number {
  return ms > 1_000 ? ms - (ms % 64) : Math.max(0, ms);
}

export function deadlineExceeded(method: Method): AppError {
  return new AppError('deadline_exceeded', 'DEADLINE_EXCEEDED', `${method.path} took too long`);
}

export function clientCancelled(): AppError {
  return new AppError('cancelled', 'CANCELLED', 'the caller is gone');
}

/** Returns the metrics label. */
export function logFailure(error: unknown, method: Method, { requestId }: CallMetadata, log: Logger): string {
  const visible = visibleError(error);
  if (visible) {
    log.debug({ requestId, rpc: method.path, reason: visible.reason }, visible.message);
    return visible.kind.toUpperCase();
  }
  log.error({ requestId, rpc: method.path, err: error }, 'a call failed unexpectedly');
  return 'INTERNAL';
}

interface CallTimers {
  /** Call the result with the status name at the end. */
  start(path: string): (code: string) => void;
}

export function createCallTimers(registry: Metrics['registry']): CallTimers {
  const durations = new Histogram({
    name: 'grpc_server_call_duration_seconds',
    help: 'Duration of served gRPC calls by method and status.',
    labelNames: ['method', 'code'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10],
    registers: [registry],
  });
  return {
    start: (method) => {
      const end = durations.startTimer({ method });
      return (code) => void end({ code });
    },
  };
}
