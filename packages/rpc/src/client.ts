import { connectivityState, Client as GrpcClient } from '@grpc/grpc-js';
import type { Actor, ActorSigner } from './auth/actor.js';
import type { TlsFiles } from './config.js';
import { AppError, noteFailedCall } from '@panel/kit/errors';
import type { AddressGuard } from '@panel/kit/net';
import { deadlineOf, LastAnswer, mayRepeat, type Transport, withRetries } from './call-options.js';
import { multiplexTransport } from './multiplex/transport.js';
import { namedTarget } from './named-target.js';
import { nativeTransport, streamCall } from './native.js';
import { RepeatableParts } from './repeatable-parts.js';
import { wasUnsent } from './status.js';
import { clientCredentials } from './tls.js';
import type { CallOptions, Client, MethodDefinition, ServiceDefinition, TransportName } from './types.js';

export interface ConnectionOptions {
  /** host:port, or dns:///name:port to balance over all addresses of a name. */
  readonly address: string;
  readonly signer: ActorSigner;
  /** Default actor without a parent call. */
  readonly actor: Actor;
  readonly tls?: TlsFiles | null;
  /** Default native. Always native: streams, and servers without multiplex. */
  readonly transport?: TransportName;
  /**
   * Bound of unread data: `bulk` (default) 4 MiB, for long distances; `relayed` 2 MiB, for forwarding; `events` 256
   * KiB, for current events.
   */
  readonly streams?: 'bulk' | 'relayed' | 'events';
  /** Checks each resolved address before every connect. */
  readonly guard?: Pick<AddressGuard, 'isAllowed'>;
  /** Until a new replica gets calls; default 30 s. */
  readonly lookUpEveryMs?: number;
  /** Of unary calls that name none; default 10 s. */
  readonly timeoutMs?: number;
}

/** A channel to one service, shared by its clients. */
export interface Connection {
  client<S extends ServiceDefinition>(definition: S): Client<S>;
  /** Throws SERVICE_UNAVAILABLE after `timeoutMs`. */
  waitUntilReachable(timeoutMs: number): Promise<void>;
  close(): void;
}

const signedActorMs = 30_000;
const lookUpEveryMs = 30_000;
const windowBytes = { bulk: 4 * 1024 * 1024, relayed: 2 * 1024 * 1024, events: 256 * 1024 };

/** Lazily. Calls fail with AppErrors only. */
export function connect(options: ConnectionOptions): Connection {
  const { address, guard } = options;
  const channel = namedTarget(address, { guard, lookUpEveryMs: options.lookUpEveryMs ?? lookUpEveryMs });
  const grpc = new GrpcClient(channel.target, clientCredentials(options.tls ?? null), {
    ...channel.options,
    'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
    'grpc.enable_retries': 0,
    'grpc.keepalive_time_ms': 10_000,
    'grpc.keepalive_timeout_ms': 5_000,
    'grpc.initial_reconnect_backoff_ms': 100,
    // With its jitter less than the shortest pauses of a call's retries: a service that is well again is reached.
    'grpc.max_reconnect_backoff_ms': 300,
    'grpc-node.flow_control_window': windowBytes[options.streams ?? 'bulk'],
  });
  const lastAnswer = new LastAnswer();
  const ownToken = cachedToken(options.signer, options.actor);
  const native = nativeTransport(grpc, ownToken);
  const transport =
    options.transport === 'multiplexed' ? multiplexTransport({ grpc, address, ownToken, native }) : native;
  return {
    client: (definition) =>
      Object.fromEntries(
        Object.entries(definition).map(([name, method]) => [
          name,
          clientMethod(
            { address, grpc, native, transport, ownToken, lastAnswer, timeoutMs: options.timeoutMs },
            name,
            method as never,
          ),
        ]),
      ) as never,
    waitUntilReachable: async (timeoutMs) => reachable(grpc, address, timeoutMs),
    close: () => {
      transport.close();
      grpc.close();
    },
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

interface Ways {
  readonly address: string;
  readonly grpc: GrpcClient;
  readonly native: Transport;
  readonly transport: Transport;
  readonly ownToken: () => string;
  readonly lastAnswer: LastAnswer;
  readonly timeoutMs: number | undefined;
}

function clientMethod(ways: Ways, name: string, method: MethodDefinition<unknown, unknown>) {
  const { address, grpc, transport, ownToken, lastAnswer, timeoutMs } = ways;
  const call = `${method.path.slice(1)} at ${address}`;
  const timed = (options: CallOptions): CallOptions => ({
    ...options,
    ...(timeoutMs !== undefined && options.timeoutMs === undefined && { timeoutMs }),
  });
  const named = async (work: Promise<unknown>) =>
    work.catch((error: unknown) => {
      noteFailedCall(error, call);
      throw error;
    });
  if (method.responseStream)
    return (request: unknown, options: CallOptions = {}) =>
      streamCall({ grpc, call, ownToken, lastAnswer }, method, request, options);
  if (method.requestStream)
    return async (request: unknown, options: CallOptions = {}) =>
      named(uploadCall(ways, method, request as AsyncIterable<unknown>, timed(options)));
  const isRepeatable = mayRepeat(name);
  return async (request: unknown, options: CallOptions = {}) =>
    named(
      withRetries(isRepeatable, timed(options), lastAnswer, async (within) =>
        transport.unary(method, request, within()),
      ),
    );
}

/** A request stream begins when the service is there. One that was not begun is tried again while its parts are retained. */
async function uploadCall(
  { grpc, native, lastAnswer }: Ways,
  method: MethodDefinition<unknown, unknown>,
  request: AsyncIterable<unknown>,
  options: CallOptions,
): Promise<unknown> {
  const parts = new RepeatableParts(request);
  const isRepeatable = (error: unknown) => wasUnsent(error) && parts.isWhole;
  try {
    return await withRetries(isRepeatable, options, lastAnswer, async (within) => {
      await whenStarted(grpc, lastAnswer, options);
      return native.unary(method, parts.read(), within());
    });
  } finally {
    parts.close();
  }
}

/** Of a service that restarts. In any case the call says what is wrong. */
async function whenStarted(grpc: GrpcClient, lastAnswer: LastAnswer, options: CallOptions): Promise<void> {
  const { patienceMs } = lastAnswer;
  if (patienceMs === 0 || grpc.getChannel().getConnectivityState(false) === connectivityState.READY) return;
  const until = Math.min(Date.now() + patienceMs, deadlineOf(options, null) ?? Infinity);
  await new Promise<void>((resolve) => grpc.waitForReady(until, () => resolve()));
}
