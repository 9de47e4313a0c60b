import { randomUUID } from 'node:crypto';
import type { Actor, ActorSigner } from './auth/actor.js';
import { AppError } from '@panel/kit/errors';
import { type Logger, type TraceContext, traceIdOf, type Tracing } from '@panel/kit/process';
import type { RpcPermission } from '@panel/protos/permissions';
import { authorizeCall } from './authorize.js';
import type { CallTimers } from './call-timers.js';
import type { CallContext } from './context.js';
import { deriveIdempotencyId } from './idempotency.js';
import { visibleError } from './status.js';
import type { ServiceDefinition } from './types.js';

/** What the handlers of one server share. */
export interface ServedCalls {
  readonly signer: ActorSigner;
  readonly log: Logger;
  readonly timers: CallTimers | undefined;
  readonly tracing?: Tracing | undefined;
  /** The row of an RPC by its path; undefined: no gate, the handlers check. */
  readonly permissionOf?: ((path: string) => RpcPermission | undefined) | undefined;
}

export type Method = ServiceDefinition[string];
export type Invoke = (request: unknown, context: CallContext) => unknown;

/** What a call says about itself, whichever way it came. */
export interface CallMetadata {
  readonly actorToken: string;
  readonly requestId: string | undefined;
  readonly idempotencyId: string | undefined;
  readonly trace: TraceContext | undefined;
  /** When the caller stops waiting, in Unix milliseconds; Infinity when it did not say. */
  readonly deadline: number;
}

/** Answer a little before the caller gives up, so that it hears which sub-call was slow instead of nothing. */
const deadlineMarginMs = 50;
/** For callers that set no deadline. */
const defaultUnaryMs = 30_000;

/** A call that is measured, and traced where a collector is configured. */
interface ObservedCall {
  /** What the caller has said, with the place in the trace for what the call does. */
  readonly head: CallMetadata;
  /** Call it with the name of the status when the call ends. */
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

/** What a caller has done wrong is no failure of the service. */
function isFailure(code: string): boolean {
  return ['INTERNAL', 'UNAVAILABLE', 'DEADLINE_EXCEEDED'].includes(code);
}

/**
 * The abort of one call. Its AbortController is made only for handlers that ask for the signal: it costs as much as all
 * else that is done around a small call.
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

  /** What `result` brings, or a rejection with the reason of the abort, whichever is first. */
  async orAborted(result: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#reason) reject(this.#reason);
      this.#onAbort = reject;
      Promise.resolve(result).then(resolve, reject);
    });
  }
}

const ungated: RpcPermission = {};

/** What a handler is given. Throws ACTOR_INVALID without an actor, and what `authorizeCall` throws. */
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

/** The encoded answer of a call that has one. Throws what the handler throws, or the reason of the abort; both are logged. */
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

/** A list with a damaged record fails as a whole: it is asked for again, item by item. */
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

/** When to have answered, in Unix milliseconds; null when the caller waits for ever. */
export function replyDeadline({ deadline }: CallMetadata): number | null {
  if (!Number.isFinite(deadline)) return null;
  return deadline - Math.min(deadlineMarginMs, (deadline - Date.now()) / 10);
}

/** Timers of equal length share a list in Node, which makes them cheap; so long ones are cut to a few lengths. */
export function coarsenTimeout(ms: number): number {
  return ms > 1_000 ? ms - (ms % 64) : Math.max(0, ms);
}

export function deadlineExceeded(method: Method): AppError {
  return new AppError('deadline_exceeded', 'DEADLINE_EXCEEDED', `${method.path} took too long`);
}

export function clientCancelled(): AppError {
  return new AppError('cancelled', 'CANCELLED', 'the caller is gone');
}

/** Log what deserves it, and return the label for the metrics. */
export function logFailure(error: unknown, method: Method, { requestId }: CallMetadata, log: Logger): string {
  const visible = visibleError(error);
  if (visible) {
    log.debug({ requestId, rpc: method.path, reason: visible.reason }, visible.message);
    return visible.kind.toUpperCase();
  }
  log.error({ requestId, rpc: method.path, err: error }, 'a call failed unexpectedly');
  return 'INTERNAL';
}
