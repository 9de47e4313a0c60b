import { createHash } from 'node:crypto';

/** Escaped, at most six times as many bytes: about half a millisecond. */
const pieceLength = 16 * 1024;
/** A multiple of three: pieces of base64 without padding. */
const base64Bytes = 3 * 64 * 1024;

/** What `fileContents` says of a file beside its contents. */
export interface ContentsFacts {
  readonly path: string;
  readonly modifiedAt: string | null;
}

/** A file as `fileContents` in its envelope. */
export function* contentsJson(bytes: Uint8Array, { path, modifiedAt }: ContentsFacts): Generator<Buffer> {
  const text = textOf(bytes);
  const facts = {
    path,
    encoding: text === null ? 'base64' : 'utf-8',
    size: bytes.length,
    modified_at: modifiedAt,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  };
  yield Buffer.from(`{"data":${JSON.stringify(facts).slice(0, -1)},"content":"`);
  yield* text === null ? base64(bytes) : escaped(text);
  yield Buffer.from('"}}');
}

function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

function* base64(bytes: Uint8Array): Generator<Buffer> {
  for (let from = 0; from < bytes.length; from += base64Bytes)
    yield Buffer.from(
      Buffer.from(bytes.buffer, bytes.byteOffset + from, Math.min(base64Bytes, bytes.length - from)).toString('base64'),
    );
}

/** A pair that lies in two pieces is escaped in halves, which are one again when read. */
function* escaped(text: string): Generator<Buffer> {
  for (let from = 0; from < text.length; from += pieceLength)
    yield Buffer.from(JSON.stringify(text.slice(from, from + pieceLength)).slice(1, -1));
}
