import type { IncomingMessage } from 'node:http';

/** How much of a refused body is read for the sake of its answer. */
interface DrainLimits {
  readonly maxBytes: number;
  readonly maxMs: number;
}

const refusedBodyLimits: DrainLimits = { maxBytes: 64 * 1024 * 1024, maxMs: 5_000 };

/**
 * Read and discard the rest of a body: a connection that is closed over unread bytes is reset, and the client may lose the
 * answer it has not read yet. Resolves at the end of the body, at a limit, or when the client is gone; never rejects.
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
    // a client that goes away meanwhile fails the request, which is nothing to report
    request.on('data', onData).once('end', done).once('close', done).once('error', done);
    socket.once('close', done);
    request.resume();
  });
}

/** The answer to a refused request, which ends when the rest of its body is read: only then is the connection closed. */
export async function* answerAndDrain(
  answer: Buffer,
  request: IncomingMessage,
  limits?: DrainLimits,
): AsyncGenerator<Buffer> {
  yield answer;
  await drainRequest(request, limits);
}
