import type { Client as GrpcClient } from '@grpc/grpc-js';
import { AppError } from '@panel/kit/errors';
import { signalOf, type Transport, unaryDeadlineOf } from '../call-options.js';
import type { CallOptions, MethodDefinition } from '../types.js';
import type { OutgoingCall } from './client-stream.js';
import { maxRequestBytes } from './limits.js';
import { StreamPool } from './stream-pool.js';

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
