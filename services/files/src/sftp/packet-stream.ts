import { malformedError, maxPacketBytes } from './protocol.js';

/**
 * The packets of a stream of bytes, without their length. Reads no further than the packet that is asked for, so that a
 * slow server slows its client down. Throws SFTP_MALFORMED for a length that no packet has.
 */
export async function* readPackets(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let buffered: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    buffered.push(chunk);
    size += chunk.length;
    if (size < 4) continue;
    // once only: a client that sends single bytes must not cost a copy of everything for each of them
    if ((buffered[0]?.length ?? 0) < 4) buffered = [Buffer.concat(buffered)];
    if (size < 4 + lengthOf(buffered[0] ?? chunk)) continue;
    let rest = buffered.length === 1 ? (buffered[0] ?? chunk) : Buffer.concat(buffered);
    while (rest.length >= 4) {
      const end = 4 + lengthOf(rest);
      if (rest.length < end) break;
      yield rest.subarray(4, end);
      rest = rest.subarray(end);
    }
    buffered = rest.length > 0 ? [rest] : [];
    size = rest.length;
  }
}

function lengthOf(head: Buffer): number {
  const length = head.readUInt32BE(0);
  if (length === 0 || length > maxPacketBytes) throw malformedError();
  return length;
}
