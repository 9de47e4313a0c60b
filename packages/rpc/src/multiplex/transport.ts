import { hasOneAddress } from '../named-target.js';
import { MultiplexStream, type OutgoingCall } from './client-stream.js';
import type { Client as GrpcClient } from '@grpc/grpc-js';
import { AppError } from '@panel/kit/errors';
import { signalOf, type Transport, unaryDeadlineOf } from '../call-options.js';
import type { CallOptions, MethodDefinition } from '../types.js';
import { maxRequestBytes } from './limits.js';

/** Between polls for replicas without a stream; short during changes. */
const firstPollMs = 50;
const maxPollMs = 5_000;

/**
 * One stream per replica. The channel assigns new streams to replicas in turn; a second one to a replica replaces the
 * first.
 */
class StreamPool {
  readonly #open = new Map<string, MultiplexStream>();
  #streams: readonly MultiplexStream[] = [];
  #turn = 0;
  #opening: MultiplexStream | null = null;
  #pollTimer: NodeJS.Timeout | undefined;
  #pollMs = firstPollMs;
  #isClosed = false;

  constructor(
    private readonly grpc: GrpcClient,
    private readonly address: string,
    private readonly ownToken: () => string,
  ) {}

  /** The one with the fewest calls, in turn among equals. */
  stream(): MultiplexStream {
    if (this.#isClosed) throw new AppError('unavailable', 'SERVICE_UNAVAILABLE', 'the connection is closed');
    let best: MultiplexStream | undefined;
    this.#turn += 1;
    for (let at = 0; at < this.#streams.length; at++) {
      const stream = this.#streams[(this.#turn + at) % this.#streams.length];
      if (stream && (best === undefined || stream.load < best.load)) best = stream;
    }
    return best ?? this.#opening ?? this.#start();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#pollTimer);
    for (const stream of this.#open.values()) stream.leave();
    this.#opening?.leave();
  }

  #start(): MultiplexStream {
    let peer: string | null = null;
    const stream: MultiplexStream = new MultiplexStream(this.grpc, this.ownToken(), {
      onOpen: (reached) => {
        peer = reached;
        if (this.#opening === stream) this.#opening = null;
        this.#opened(reached, stream);
      },
      onLeaving: () => {
        if (this.#opening === stream) this.#opening = null;
        if (peer !== null && this.#open.get(peer) === stream) this.#lost(peer);
      },
    });
    this.#opening = stream;
    return stream;
  }

  #opened(peer: string, stream: MultiplexStream): void {
    const earlier = this.#open.get(peer);
    this.#open.set(peer, stream);
    this.#streams = [...this.#open.values()];
    earlier?.leave();
    this.#pollMs = earlier ? Math.min(2 * this.#pollMs, maxPollMs) : firstPollMs;
    this.#pollSoon();
  }

  #lost(peer: string): void {
    this.#open.delete(peer);
    this.#streams = [...this.#open.values()];
    this.#pollMs = firstPollMs;
  }

  #pollSoon(): void {
    clearTimeout(this.#pollTimer);
    if (this.#isClosed || hasOneAddress(this.address)) return;
    this.#pollTimer = setTimeout(() => {
      if (this.#opening === null && this.#open.size > 0) this.#start();
      this.#pollSoon();
    }, this.#pollMs).unref();
  }
}

interface MultiplexOptions {
  readonly grpc: GrpcClient;
  readonly address: string;
  readonly ownToken: () => string;
  readonly native: Transport;
}

/** As frames on one long-lived stream per replica. */
export function multiplexTransport({ grpc, address, ownToken, native }: MultiplexOptions): Transport {
  const pool = new StreamPool(grpc, address, ownToken);
  return {
    unary: async (method, request, options) => {
      const signal = signalOf(options);
      if (signal?.aborted) throw signal.reason;
      const payload = method.requestSerialize(request);
      if (payload.length > maxRequestBytes) return native.unary(method, request, options);
      const call = outgoing(method, payload, options, ownToken);
      return decode(method, await pool.stream().call(call, signal));
    },
    close: () => pool.close(),
  };
}

function outgoing(
  { path }: MethodDefinition<unknown, unknown>,
  payload: Buffer,
  options: CallOptions,
  ownToken: () => string,
): OutgoingCall {
  const trace = options.trace ?? options.parent?.trace;
  return {
    method: path,
    payload,
    deadline: unaryDeadlineOf(options),
    actor: options.actorToken ?? options.parent?.actorToken ?? ownToken(),
    requestId: options.requestId ?? options.parent?.requestId ?? '',
    idempotencyId: options.idempotencyId ?? '',
    traceparent: trace?.traceparent ?? '',
    tracestate: trace?.tracestate ?? '',
  };
}

function decode(method: MethodDefinition<unknown, unknown>, answer: Buffer): unknown {
  try {
    return method.responseDeserialize(answer);
  } catch (error) {
    throw new AppError('internal', 'INTERNAL', `${method.path} answered something else`, {}, { cause: error });
  }
}
