import type { IncomingMessage } from 'node:http';

interface DrainLimits {
  readonly maxBytes: number;
  readonly maxMs: number;
}

const refusedBodyLimits: DrainLimits = { maxBytes: 64 * 1024 * 1024, maxMs: 5_000 };

/**
 * Closing with unread bytes resets the connection, and the client may lose the answer. Resolves at the body's end, a
 * limit or a disconnect; never rejects.
 */
export async function drainRequest(request: IncomingMessage, limits: DrainLimits = refusedBodyLimits): Promise<void> {
  const { socket } = request;
  if (request.complete || socket.destroyed) {
    request.resume();
    return;
  }
  await new Promise<void>((resolve) => {
    let left = limits.maxBytes;
    const done = () => {
      clearTimeout(timer);
      request.off('data', onData).off('end', done).off('close', done).off('error', done);
      socket.off('close', done);
      resolve();
    };
    const onData = (chunk: Buffer) => {
      left -= chunk.length;
      if (left < 0) done();
    };
    const timer = setTimeout(done, limits.maxMs);
    // a client's disconnect fails the request, which needs no report
    request.on('data', onData).once('end', done).once('close', done).once('error', done);
    socket.once('close', done);
    request.resume();
  });
}

/** Ends after the body is drained, because only then may the connection close. */
export async function* answerAndDrain(
  answer: Buffer,
  request: IncomingMessage,
  limits?: DrainLimits,
): AsyncGenerator<Buffer> {
  yield answer;
  await drainRequest(request, limits);
}
