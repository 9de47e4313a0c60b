import type { Readable } from 'node:stream';
import { malformedError, maxPacketBytes } from './protocol.js';

/**
 * Without length prefix. Reads only the requested packet, for back-pressure. Throws SFTP_MALFORMED for an invalid
 * length, and the signal's reason.
 */
export async function* readPackets(stream: Readable, signal: AbortSignal): AsyncGenerator<Buffer, undefined> {
  let hasClosed = false;
  let wake = () => undefined as void;
  const onNews = () => wake();
  const onClose = () => {
    hasClosed = true;
    wake();
  };
  /** Null at an earlier end. */
  const take = async (length: number): Promise<Buffer | null> => {
    for (;;) {
      signal.throwIfAborted();
      const bytes = stream.read(length) as Buffer | null;
      if (bytes) return bytes.length === length ? bytes : null;
      if (hasClosed || stream.readableEnded || stream.destroyed) return null;
      await new Promise<void>((resolve) => (wake = resolve));
    }
  };
  // without a listener the stream would leave paused mode
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
