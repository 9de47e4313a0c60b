/** grpc-js buffers up to sixteen messages of a stream, regardless of size. */
const messageBytes = 64 * 1024;

/** Views, not copies. */
export function* messageChunks(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += messageBytes) yield bytes.subarray(at, at + messageBytes);
}
