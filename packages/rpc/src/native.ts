import { setTimeout as wait } from 'node:timers/promises';
import type { Client as GrpcClient, ClientReadableStream, ServiceError } from '@grpc/grpc-js';
import { Metadata } from '@grpc/grpc-js';
import { noteFailedCall } from '@panel/kit/errors';
import {
  deadlineOf,
  isAnswer,
  type LastAnswer,
  pauseBefore,
  signalOf,
  type Transport,
  unaryDeadlineOf,
} from './call-options.js';
import { metadataKeys } from './context.js';
import { fromGrpcFailure, wasUnsent } from './status.js';
import type { CallOptions, MethodDefinition } from './types.js';

/** Requests may be a stream. */
export function nativeTransport(grpc: GrpcClient, ownToken: () => string): Transport {
  return {
    unary: async (method, request, options) =>
      new Promise((resolve, reject) => {
        const metadata = metadataOf(options, ownToken);
        const callOptions = { deadline: unaryDeadlineOf(options) };
        const signal = signalOf(options);
        if (signal?.aborted) return reject(signal.reason);
        const cancel = () => call.cancel();
        const done = (error: ServiceError | null, value?: unknown) => {
          signal?.removeEventListener('abort', cancel);
          if (error) reject(fromGrpcFailure(error));
          else resolve(value);
        };
        const { path, requestSerialize, responseDeserialize } = method;
        const call = method.requestStream
          ? sendAll(
              grpc.makeClientStreamRequest(path, requestSerialize, responseDeserialize, metadata, callOptions, done),
              request,
            )
          : grpc.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, metadata, callOptions, done);
        signal?.addEventListener('abort', cancel, { once: true });
      }),
    close: () => undefined,
  };
}

interface RequestStream {
  write(value: unknown, callback?: (error?: Error | null) => void): boolean;
  end(): void;
  cancel(): void;
}

/** With back-pressure; a failing source cancels the call. */
function sendAll<T extends RequestStream>(call: T, requests: unknown): T {
  const send = async () => {
    for await (const value of requests as AsyncIterable<unknown>) {
      await new Promise<void>((resolve, reject) => call.write(value, (error) => (error ? reject(error) : resolve())));
    }
    call.end();
  };
  // The call's callback reports failures.
  send().catch(() => call.cancel());
  return call;
}

interface StreamWays {
  readonly grpc: GrpcClient;
  /** For logs of its failure. */
  readonly call: string;
  readonly ownToken: () => string;
  readonly lastAnswer: LastAnswer;
}

/** The call ends with the loop. One that was not sent is tried again, as `withRetries` does. */
export async function* streamCall(
  { call: name, lastAnswer, ...ways }: StreamWays,
  method: MethodDefinition<unknown, unknown>,
  request: unknown,
  options: CallOptions,
): AsyncGenerator {
  for (let tries = 0; ; tries += 1) {
    let hasMessage = false;
    try {
      for await (const message of readStream(ways, method, request, options)) {
        hasMessage = true;
        yield message;
      }
      return lastAnswer.note();
    } catch (error) {
      if (hasMessage || isAnswer(error)) lastAnswer.note();
      const pauseMs = wasUnsent(error) ? pauseBefore(tries, error, lastAnswer) : null;
      const deadline = deadlineOf(options, null) ?? Infinity;
      if (pauseMs === null || signalOf(options)?.aborted || Date.now() + pauseMs >= deadline) {
        noteFailedCall(error, name);
        throw error;
      }
      await wait(pauseMs);
    }
  }
}

async function* readStream(
  { grpc, ownToken }: Pick<StreamWays, 'grpc' | 'ownToken'>,
  method: MethodDefinition<unknown, unknown>,
  request: unknown,
  options: CallOptions,
): AsyncGenerator {
  const signal = signalOf(options);
  if (signal?.aborted) throw signal.reason;
  const deadline = deadlineOf(options, null);
  const { path, requestSerialize, responseDeserialize } = method;
  const call: ClientReadableStream<unknown> = grpc.makeServerStreamRequest(
    path,
    requestSerialize,
    responseDeserialize,
    request,
    metadataOf(options, ownToken),
    deadline === null ? {} : { deadline },
  );
  const cancel = () => call.cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    yield* call;
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw fromGrpcFailure(error as ServiceError);
  } finally {
    signal?.removeEventListener('abort', cancel);
    call.cancel();
  }
}

function metadataOf(options: CallOptions, ownToken: () => string): Metadata {
  const metadata = new Metadata();
  metadata.set(metadataKeys.actor, options.actorToken ?? options.parent?.actorToken ?? ownToken());
  const requestId = options.requestId ?? options.parent?.requestId;
  if (requestId) metadata.set(metadataKeys.requestId, requestId);
  const trace = options.trace ?? options.parent?.trace;
  if (trace) metadata.set(metadataKeys.traceparent, trace.traceparent);
  if (trace?.tracestate) metadata.set(metadataKeys.tracestate, trace.tracestate);
  if (options.idempotencyId) metadata.set(metadataKeys.idempotencyId, options.idempotencyId);
  return metadata;
}
