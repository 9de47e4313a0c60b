import type { Server, ServerDuplexStream } from '@grpc/grpc-js';
import { type MultiplexRequest, type MultiplexResponse, MultiplexServiceService } from '@panel/protos/common';
import { metadataKeys } from '../context.js';
import { textMetadata } from '../native-handler.js';
import type { ServedCalls } from '../call-execution.js';
import { toGrpcFailure } from '../status.js';
import { type MultiplexMethods, MultiplexSession, type SessionLimits } from './session.js';

interface MultiplexServer {
  /** Streams end after their calls in progress. */
  leave(): void;
}

/** Opening a stream requires a valid actor. */
export function addMultiplex(
  server: Server,
  methods: MultiplexMethods,
  calls: ServedCalls,
  limits?: SessionLimits,
): MultiplexServer {
  const sessions = new Set<MultiplexSession>();
  let isLeaving = false;
  const multiplex = (stream: ServerDuplexStream<MultiplexRequest, MultiplexResponse>): void => {
    try {
      calls.signer.verify(textMetadata(stream, metadataKeys.actor) ?? '');
    } catch (error) {
      stream.emit('error', toGrpcFailure(error));
      return;
    }
    const session = new MultiplexSession(stream, methods, calls, () => sessions.delete(session), limits);
    sessions.add(session);
    if (isLeaving) session.leave();
  };
  server.addService(MultiplexServiceService, { multiplex });
  return {
    leave: () => {
      isLeaving = true;
      for (const session of sessions) session.leave();
    },
  };
}
