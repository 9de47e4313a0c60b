import type { Readable } from 'node:stream';
import { malformedError, maxPacketBytes } from './protocol.js';

/**
 * The packets of a stream of bytes, without their length, until it ends or is closed. Takes no more from it than the packet that
 * is asked for, so that a slow server slows its client down. Throws SFTP_MALFORMED for a length that no packet has, and the
 * signal's reason.
 */
export async function* readPackets(stream: Readable, signal: AbortSignal): AsyncGenerator<Buffer, undefined> {
  let hasClosed = false;
  let wake = () => undefined as void;
  const onNews = () => wake();
  const onClose = () => {
    hasClosed = true;
    wake();
  };
  /** Null when the stream ends before. */
  const take = async (length: number): Promise<Buffer | null> => {
    for (;;) {
      signal.throwIfAborted();
      const bytes = stream.read(length) as Buffer | null;
      if (bytes) return bytes.length === length ? bytes : null;
      if (hasClosed || stream.readableEnded || stream.destroyed) return null;
      await new Promise<void>((resolve) => (wake = resolve));
    }
  };
  // kept all the time: without a listener in between the stream would have to be told each time that it is read by hand
  stream.on('readable', onNews).on('end', onNews).on('error', onClose).on('close', onClose);
  signal.addEventListener('abort', onNews);
  try {
    for (let head = await take(4); head; head = await take(4)) {
      const packet = await take(lengthOf(head));
      if (!packet) return;
      yield packet;
    }
  } finally {
    signal.removeEventListener('abort', onNews);
    stream.off('readable', onNews).off('end', onNews).off('error', onClose).off('close', onClose);
  }
}

function lengthOf(head: Buffer): number {
  const length = head.readUInt32BE(0);
  if (length === 0 || length > maxPacketBytes) throw malformedError();
  return length;
}
