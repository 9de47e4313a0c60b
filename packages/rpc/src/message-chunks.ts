/** A reader of a stream has up to sixteen messages waiting (grpc-js), whatever their size. */
const messageBytes = 64 * 1024;

/** Bytes in pieces for one message each; views of them, no copies. */
export function* messageChunks(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += messageBytes) yield bytes.subarray(at, at + messageBytes);
}
