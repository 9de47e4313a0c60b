/** A message of a stream of bytes: one of its kinds is a chunk, in field 2. */
interface ChunkMessage {
  readonly part?: { readonly $case: string; readonly value: unknown } | undefined;
}

/** Field 2, length-delimited. */
const chunkTag = 18;
/** Smaller ones cost no time either way. */
const minChunkBytes = 4096;

/**
 * The encoding of `encode` in fewer steps for a message that is a chunk: generated code copies its bytes four times, and
 * clears memory for them first.
 */
export function encodeChunks<T extends ChunkMessage>(encode: (message: T) => Buffer): (message: T) => Buffer {
  return (message) => {
    const { part } = message;
    if (part?.$case !== 'chunk' || !Buffer.isBuffer(part.value) || part.value.length < minChunkBytes)
      return encode(message);
    const chunk = part.value;
    const head = [chunkTag];
    let length = chunk.length;
    for (; length > 0x7f; length = Math.floor(length / 128)) head.push((length % 128) | 0x80);
    head.push(length);
    const encoded = Buffer.allocUnsafeSlow(head.length + chunk.length);
    encoded.set(head);
    encoded.set(chunk, head.length);
    return encoded;
  };
}

/**
 * The decoding of `decode` in one step for a message that is a chunk and nothing else; its bytes are those of the message,
 * not a copy.
 */
export function decodeChunks<T extends ChunkMessage>(
  decode: (message: Buffer) => T,
  ofChunk: (chunk: Buffer) => T,
): (message: Buffer) => T {
  return (message) => {
    if (message.length < minChunkBytes || message[0] !== chunkTag) return decode(message);
    let length = 0;
    let scale = 1;
    let at = 1;
    for (; at < 6; at += 1, scale *= 128) {
      const byte = message[at] ?? 0;
      length += (byte & 0x7f) * scale;
      if (byte < 0x80) break;
    }
    return at + 1 + length === message.length ? ofChunk(message.subarray(at + 1)) : decode(message);
  };
}
