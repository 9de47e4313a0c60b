import { once } from 'node:events';
import type { ServerDuplexStream, ServerUnaryCall, ServerWritableStream } from '@grpc/grpc-js';
import { randomUUID } from 'node:crypto';
import type { ActorSigner } from '../actor.js';
import { AppError } from '../errors.js';
import type { Logger } from '../logger.js';
import type { Metrics } from '../metrics.js';
import { metadataKeys, type CallContext } from './context.js';
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
  calls.streams.add(abort);
  const deadline = deadlineOf(call, null);
  const timer = deadline
    ? setTimeout(() => abort.abort(deadlineExceeded(method)), Math.max(0, deadline.getTime() - Date.now()))
    : null;
  call.on('cancelled', () => abort.abort(new AppError('cancelled', 'CANCELLED', 'the caller is gone')));
  call.on('error', (error) => abort.abort(error));
  try {
    const context = contextOf(method, call, calls, deadline, abort.signal);
    await pump(
      invoke(method.requestStream ? call : call.request, context) as AsyncIterable<unknown>,
      call,
      abort.signal,
    );
    finish?.('OK');
    call.end();
  } catch (error) {
    finish?.(logFailure(error, method, call, calls.log));
    call.emit('error', toGrpcFailure(error));
  } finally {
    if (timer) clearTimeout(timer);
    calls.streams.delete(abort);
  }
}

/** Write all values, never faster than the caller reads. Returns when the iterable ends; throws what it throws. */
async function pump(values: AsyncIterable<unknown>, call: ServerWritableStream<unknown, unknown>, signal: AbortSignal) {
  for await (const value of values) {
    if (call.cancelled) return;
    if (!call.write(value)) await drained(call, signal);
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
  return { actor, actorToken, requestId, deadline, signal, log: calls.log.child({ requestId, rpc: method.path }) };
}

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
