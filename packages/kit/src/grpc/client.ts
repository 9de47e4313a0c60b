import { Client as GrpcClient, Metadata, type ClientReadableStream, type ServiceError } from '@grpc/grpc-js';
import { setTimeout as wait } from 'node:timers/promises';
import type { Actor, ActorSigner } from '../actor.js';
import type { TlsFiles } from '../config.js';
import { AppError, isAppError } from '../errors.js';
import { metadataKeys } from './context.js';
import { fromGrpcFailure, wasNeverSent } from './status.js';
import { clientCredentials } from './tls.js';
import type { CallOptions, Client, MethodDefinition, ServiceDefinition } from './types.js';

export interface ConnectionOptions {
  /** host:port, or dns:///name:port to spread over all addresses of a name. */
  readonly address: string;
  readonly signer: ActorSigner;
  /** Who calls when a call names no actor and has no parent. */
  readonly actor: Actor;
  readonly tls?: TlsFiles | null;
}

/** A channel to one service; its clients share it. */
export interface Connection {
  client<S extends ServiceDefinition>(definition: S): Client<S>;
  /** Resolves when the service is reachable. Throws SERVICE_UNAVAILABLE after `timeoutMs`. */
  waitUntilReachable(timeoutMs: number): Promise<void>;
  close(): void;
}

/** Time a unary call may take when nothing says otherwise. */
const defaultTimeoutMs = 10_000;
/** Calls that only read are tried again when the service was not reachable; others only when they never left. */
const idempotentName = /^(get|list|authenticate)/;
/** Pauses before another try: a service that is being restarted is back, or its replica is found, within them. */
const retryPausesMs = [100, 400, 800];
const signedActorMs = 30_000;

/** Connect lazily to a service. Calls fail with AppErrors only. */
export function connect(options: ConnectionOptions): Connection {
  const grpc = new GrpcClient(options.address, clientCredentials(options.tls ?? null), {
    'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
    'grpc.enable_retries': 0,
    'grpc.keepalive_time_ms': 30_000,
    'grpc.keepalive_timeout_ms': 10_000,
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 500,
    'grpc-node.flow_control_window': 4 * 1024 * 1024,
  });
  const ownToken = cachedToken(options.signer, options.actor);
  return {
    client: (definition) =>
      Object.fromEntries(
        Object.entries(definition).map(([name, method]) => [name, clientMethod(grpc, name, method as never, ownToken)]),
      ) as never,
    waitUntilReachable: async (timeoutMs) => reachable(grpc, options.address, timeoutMs),
    close: () => grpc.close(),
  };
}

function cachedToken(signer: ActorSigner, actor: Actor): () => string {
  let token = '';
  let madeAt = -Infinity;
  return () => {
    if (performance.now() - madeAt > signedActorMs) {
      token = signer.sign(actor);
      madeAt = performance.now();
    }
    return token;
  };
}

async function reachable(grpc: GrpcClient, address: string, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    grpc.waitForReady(Date.now() + timeoutMs, (error) => {
      if (!error) resolve();
      else
        reject(
          new AppError(
            'unavailable',
            'SERVICE_UNAVAILABLE',
            `${address} does not answer`,
            { address },
            { cause: error },
          ),
        );
    });
  });
}

function clientMethod(
  grpc: GrpcClient,
  name: string,
  method: MethodDefinition<unknown, unknown>,
  ownToken: () => string,
) {
  if (method.responseStream)
    return (request: unknown, options: CallOptions = {}) => streamCall(grpc, method, request, options, ownToken);
  const isIdempotent = idempotentName.test(name);
  const mayRepeat = (error: unknown) =>
    wasNeverSent(error) || (isIdempotent && isAppError(error, 'SERVICE_UNAVAILABLE', 'STOPPING'));
  return async (request: unknown, options: CallOptions = {}) => {
    for (const pauseMs of method.requestStream ? [] : retryPausesMs) {
      try {
        return await unaryCall(grpc, method, request, options, ownToken);
      } catch (error) {
        if (!mayRepeat(error) || options.signal?.aborted) throw error;
        await wait(pauseMs * (0.5 + Math.random() / 2));
      }
    }
    return unaryCall(grpc, method, request, options, ownToken);
  };
}

async function unaryCall(
  grpc: GrpcClient,
  method: MethodDefinition<unknown, unknown>,
  request: unknown,
  options: CallOptions,
  ownToken: () => string,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const metadata = metadataOf(options, ownToken);
    const callOptions = { deadline: deadlineOf(options, defaultTimeoutMs) ?? Date.now() + defaultTimeoutMs };
    const signal = options.signal ?? options.parent?.signal;
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
  });
}

interface RequestStream {
  write(value: unknown, callback?: (error?: Error | null) => void): boolean;
  end(): void;
  cancel(): void;
}

/** Write a stream of requests, each when the one before has been taken over; a failing source cancels the call. */
function sendAll<T extends RequestStream>(call: T, requests: unknown): T {
  const send = async () => {
    for await (const value of requests as AsyncIterable<unknown>) {
      await new Promise<void>((resolve, reject) => call.write(value, (error) => (error ? reject(error) : resolve())));
    }
    call.end();
  };
  // The call's own callback reports every failure to the caller; here only the sending has to stop.
  send().catch(() => call.cancel());
  return call;
}

async function* streamCall(
  grpc: GrpcClient,
  method: MethodDefinition<unknown, unknown>,
  request: unknown,
  options: CallOptions,
  ownToken: () => string,
): AsyncGenerator {
  const signal = options.signal ?? options.parent?.signal;
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
    throw signal?.aborted ? signal.reason : fromGrpcFailure(error as ServiceError);
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
  if (options.creationId) metadata.set(metadataKeys.creationId, options.creationId);
  return metadata;
}

/** The earlier of the call's own time-out and the deadline of the call being served. */
function deadlineOf(options: CallOptions, defaultMs: number | null): number | null {
  const own = options.timeoutMs ?? defaultMs;
  const limits = [own === null ? Infinity : Date.now() + own, options.parent?.deadline?.getTime() ?? Infinity];
  const earliest = Math.min(...limits);
  return Number.isFinite(earliest) ? earliest : null;
}
