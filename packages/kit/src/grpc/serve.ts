import { once } from 'node:events';
import type { ServerDuplexStream, ServerUnaryCall, ServerWritableStream } from '@grpc/grpc-js';
import { randomUUID } from 'node:crypto';
import type { ActorSigner } from '../actor.js';
import { AppError } from '../errors.js';
import type { Logger } from '../logger.js';
import type { Metrics } from '../metrics.js';
import { metadataKeys, type CallContext } from './context.js';
import { bindCreation } from './creation.js';
import { toGrpcFailure, type GrpcFailure } from './status.js';
import type { ServiceDefinition } from './types.js';

/** What the handlers of one server share. */
export interface ServedCalls {
  /** One controller per open response stream, for the graceful stop. */
  readonly streams: Set<AbortController>;
  readonly signer: ActorSigner;
  readonly log: Logger;
  readonly metrics: Metrics | undefined;
}

type AnyCall =
  ServerUnaryCall<unknown, unknown> | ServerWritableStream<unknown, unknown> | ServerDuplexStream<unknown, unknown>;
type Method = ServiceDefinition[string];
type UnaryCallback = (failure: Partial<GrpcFailure> | null, value?: unknown) => void;

/** Answer a little before the caller gives up, so that it hears which sub-call was slow instead of nothing. */
const deadlineMarginMs = 50;
/** For callers that set no deadline. */
const defaultUnaryMs = 30_000;

/** grpc-js's calling convention around one of our handlers: context, errors, deadlines, streams, metrics. */
export function adaptHandler(method: Method, handler: unknown, calls: ServedCalls): unknown {
  if (typeof handler !== 'function') throw new TypeError(`no handler for ${method.path}`);
  const invoke = handler as (request: unknown, context: CallContext) => unknown;
  if (method.responseStream) {
    return (call: ServerWritableStream<unknown, unknown>) => void serveStream(method, invoke, call, calls);
  }
  return (call: ServerUnaryCall<unknown, unknown>, callback: UnaryCallback) =>
    void serveUnary(method, invoke, call, callback, calls);
}

async function serveUnary(
  method: Method,
  invoke: (request: unknown, context: CallContext) => unknown,
  call: ServerUnaryCall<unknown, unknown>,
  callback: UnaryCallback,
  calls: ServedCalls,
): Promise<void> {
  const finish = calls.metrics?.grpcCall(method.path);
  const abort = new AbortController();
  call.on('cancelled', () => abort.abort(new AppError('cancelled', 'CANCELLED', 'the caller is gone')));
  const deadline = deadlineOf(call, defaultUnaryMs) ?? new Date(Date.now() + defaultUnaryMs);
  const timer = setTimeout(() => abort.abort(deadlineExceeded(method)), Math.max(0, deadline.getTime() - Date.now()));
  try {
    const context = contextOf(method, call, calls, deadline, abort.signal);
    const request = method.requestStream ? call : call.request;
    const value = await Promise.race([invoke(request, context), rejectOnAbort(abort.signal)]);
    finish?.('OK');
    callback(null, value);
  } catch (error) {
    finish?.(logFailure(error, method, call, calls.log));
    callback(toGrpcFailure(error));
  } finally {
    clearTimeout(timer);
  }
}

async function serveStream(
  method: Method,
  invoke: (request: unknown, context: CallContext) => unknown,
  call: ServerWritableStream<unknown, unknown>,
  calls: ServedCalls,
): Promise<void> {
  const finish = calls.metrics?.grpcCall(method.path);
  const abort = new AbortController();
  const deadline = deadlineOf(call, null);
  const timer = deadline
    ? setTimeout(() => abort.abort(deadlineExceeded(method)), Math.max(0, deadline.getTime() - Date.now()))
    : null;
  // Ends the call once, by whatever comes first: the handler's end, its failure, or the abort of a handler that does
  // not listen to its signal.
  let hasEnded = false;
  const end = (failure: { error: unknown } | null) => {
    if (hasEnded) return;
    hasEnded = true;
    if (timer) clearTimeout(timer);
    calls.streams.delete(abort);
    finish?.(failure ? logFailure(failure.error, method, call, calls.log) : 'OK');
    if (failure) call.emit('error', toGrpcFailure(failure.error));
    else call.end();
  };
  calls.streams.add(abort);
  call.on('cancelled', () => abort.abort(new AppError('cancelled', 'CANCELLED', 'the caller is gone')));
  abort.signal.addEventListener('abort', () => end({ error: abort.signal.reason }), { once: true });
  try {
    const context = contextOf(method, call, calls, deadline, abort.signal);
    const values = invoke(method.requestStream ? call : call.request, context) as AsyncIterable<unknown>;
    await pump(values, call, abort.signal);
    end(null);
  } catch (error) {
    end({ error });
  }
}

/** Write all values, never faster than the caller reads. Throws what the iterable throws, or the signal's reason. */
async function pump(values: AsyncIterable<unknown>, call: ServerWritableStream<unknown, unknown>, signal: AbortSignal) {
  const iterator = values[Symbol.asyncIterator]();
  // Not awaited: a generator in the middle of waiting for something else ends when that does.
  const leave = () => void iterator.return?.(undefined).catch(() => undefined);
  signal.addEventListener('abort', leave, { once: true });
  try {
    for (;;) {
      const next = await iterator.next();
      if (signal.aborted) throw signal.reason;
      if (next.done) return;
      if (!call.write(next.value)) await drained(call, signal);
    }
  } finally {
    signal.removeEventListener('abort', leave);
    leave();
  }
}

async function drained(call: ServerWritableStream<unknown, unknown>, signal: AbortSignal): Promise<void> {
  try {
    await once(call, 'drain', { signal });
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}

function contextOf(
  method: Method,
  call: AnyCall,
  calls: ServedCalls,
  deadline: Date | null,
  signal: AbortSignal,
): CallContext {
  const requestId = textMetadata(call, metadataKeys.requestId) ?? randomUUID();
  const actorToken = textMetadata(call, metadataKeys.actor) ?? '';
  const actor = calls.signer.verify(actorToken);
  const sentId = textMetadata(call, metadataKeys.creationId);
  const creation = sentId !== undefined && uuid.test(sentId) ? bindCreation(sentId, actor, method.path) : null;
  const log = calls.log.child({ requestId, rpc: method.path });
  const context = { actor, actorToken, requestId, deadline, signal, log };
  return { ...context, ...creation };
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function textMetadata(call: AnyCall, key: string): string | undefined {
  const value = call.metadata.get(key)[0];
  return typeof value === 'string' ? value : undefined;
}

function deadlineOf(call: AnyCall, defaultMs: number | null): Date | null {
  const given = call.getDeadline();
  const at = given instanceof Date ? given.getTime() : given;
  if (!Number.isFinite(at)) return defaultMs === null ? null : new Date(Date.now() + defaultMs);
  const left = at - Date.now();
  return new Date(at - Math.min(deadlineMarginMs, left / 10));
}

function deadlineExceeded(method: Method): AppError {
  return new AppError('deadline_exceeded', 'DEADLINE_EXCEEDED', `${method.path} took too long`);
}

async function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** Log what deserves it, and return the label for the metrics. */
function logFailure(error: unknown, method: Method, call: AnyCall, log: Logger): string {
  const requestId = textMetadata(call, metadataKeys.requestId);
  if (error instanceof AppError && error.kind !== 'internal') {
    log.debug({ requestId, rpc: method.path, reason: error.reason }, error.message);
    return error.kind.toUpperCase();
  }
  log.error({ requestId, rpc: method.path, err: error }, 'a call failed unexpectedly');
  return 'INTERNAL';
}
