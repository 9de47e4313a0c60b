import { once } from 'node:events';
import type { ServerDuplexStream, ServerUnaryCall, ServerWritableStream } from '@grpc/grpc-js';
import { parseTraceContext } from '@panel/kit/process';
import { metadataKeys } from './context.js';
import {
  replyDeadline,
  clientCancelled,
  type CallMetadata,
  Cancellation,
  deadlineExceeded,
  type Invoke,
  logFailure,
  type Method,
  observe,
  serveCall,
  type ServedCalls,
  ServerCallContext,
} from './call-execution.js';
import { toGrpcFailure, type GrpcFailure } from './status.js';

export interface NativeCalls extends ServedCalls {
  /** One per open response stream, for the graceful stop. */
  readonly streams: Set<AbortController>;
}

type AnyCall =
  ServerUnaryCall<unknown, unknown> | ServerWritableStream<unknown, unknown> | ServerDuplexStream<unknown, unknown>;
type UnaryCallback = (failure: Partial<GrpcFailure> | null, value?: unknown) => void;

/** Adds context, errors, deadlines, streams, metrics. */
export function adaptHandler(method: Method, invoke: Invoke, calls: NativeCalls): unknown {
  if (method.responseStream) {
    return (call: ServerWritableStream<unknown, unknown>) => void serveStream(method, invoke, call, calls);
  }
  return (call: ServerUnaryCall<unknown, unknown>, callback: UnaryCallback) =>
    void serveUnary(method, invoke, call, callback, calls);
}

async function serveUnary(
  method: Method,
  invoke: Invoke,
  call: ServerUnaryCall<unknown, unknown>,
  callback: UnaryCallback,
  calls: NativeCalls,
): Promise<void> {
  const cancellation = new Cancellation();
  call.on('cancelled', () => cancellation.abort(clientCancelled()));
  const request = method.requestStream ? call : call.request;
  try {
    callback(null, await serveCall({ method, invoke }, readCallMetadata(call), request, cancellation, calls));
  } catch (error) {
    callback(toGrpcFailure(error));
  }
}

async function serveStream(
  method: Method,
  invoke: Invoke,
  call: ServerWritableStream<unknown, unknown>,
  calls: NativeCalls,
): Promise<void> {
  const { head, finish } = observe(method.path, readCallMetadata(call), calls);
  const abort = new AbortController();
  const endsAt = replyDeadline(head);
  const timer =
    endsAt === null ? null : setTimeout(() => abort.abort(deadlineExceeded(method)), Math.max(0, endsAt - Date.now()));
  // Ends the call once, also when the handler ignores its signal.
  let hasEnded = false;
  const end = (failure: { error: unknown } | null) => {
    if (hasEnded) return;
    hasEnded = true;
    if (timer) clearTimeout(timer);
    calls.streams.delete(abort);
    finish(failure ? logFailure(failure.error, method, head, calls.log) : 'OK');
    if (failure) call.emit('error', toGrpcFailure(failure.error));
    else call.end();
  };
  calls.streams.add(abort);
  call.on('cancelled', () => abort.abort(clientCancelled()));
  abort.signal.addEventListener('abort', () => end({ error: abort.signal.reason }), { once: true });
  try {
    const deadline = endsAt === null ? null : new Date(endsAt);
    const context = new ServerCallContext(head, deadline, { path: method.path, calls, signalOf: () => abort.signal });
    const values = invoke(method.requestStream ? call : call.request, context) as AsyncIterable<unknown>;
    await pump(values, call, abort.signal);
    end(null);
  } catch (error) {
    end({ error });
  }
}

/** At the reader's pace. Throws the iterable's error or the signal's reason. */
async function pump(values: AsyncIterable<unknown>, call: ServerWritableStream<unknown, unknown>, signal: AbortSignal) {
  const iterator = values[Symbol.asyncIterator]();
  // Not awaited: a generator ends only after its pending await.
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

function readCallMetadata(call: AnyCall): CallMetadata {
  const given = call.getDeadline();
  return {
    actorToken: textMetadata(call, metadataKeys.actor) ?? '',
    requestId: textMetadata(call, metadataKeys.requestId),
    idempotencyId: textMetadata(call, metadataKeys.idempotencyId),
    trace: parseTraceContext(textMetadata(call, metadataKeys.traceparent), textMetadata(call, metadataKeys.tracestate)),
    deadline: given instanceof Date ? given.getTime() : given,
  };
}

export function textMetadata(call: Pick<AnyCall, 'metadata'>, key: string): string | undefined {
  const value = call.metadata.get(key)[0];
  return typeof value === 'string' ? value : undefined;
}
