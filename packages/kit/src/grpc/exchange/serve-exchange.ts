import type { Server, ServerDuplexStream } from '@grpc/grpc-js';
import { type ExchangeRequest, type ExchangeResponse, ExchangeServiceService } from '@panel/protos/common';
import { metadataKeys } from '../context.js';
import { textMetadata } from '../serve.js';
import type { ServedCalls } from '../served-call.js';
import { toGrpcFailure } from '../status.js';
import { type ExchangeMethods, ExchangeSession, type SessionLimits } from './session.js';

/** The exchange of one server. */
export interface ServedExchange {
  /** Let clients go elsewhere; their streams end when what they have begun is answered. */
  leave(): void;
}

/** Serve the unary methods of a server over exchanges too. Only who could make a call may open one. */
export function addExchange(
  server: Server,
  methods: ExchangeMethods,
  calls: ServedCalls,
  limits?: SessionLimits,
): ServedExchange {
  const sessions = new Set<ExchangeSession>();
  let isLeaving = false;
  const exchange = (stream: ServerDuplexStream<ExchangeRequest, ExchangeResponse>): void => {
    try {
      calls.signer.verify(textMetadata(stream, metadataKeys.actor) ?? '');
    } catch (error) {
      stream.emit('error', toGrpcFailure(error));
      return;
    }
    const session = new ExchangeSession(stream, methods, calls, () => sessions.delete(session), limits);
    sessions.add(session);
    if (isLeaving) session.leave();
  };
  server.addService(ExchangeServiceService, { exchange });
  return {
    leave: () => {
      isLeaving = true;
      for (const session of sessions) session.leave();
    },
  };
}
