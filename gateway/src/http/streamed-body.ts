import { Readable } from 'node:stream';
import { countPassedBytes } from './passed-bytes.js';

/** Read-ahead for slow clients. */
const aheadBytes = 256 * 1024;

/** Read at the client's pace. */
export function streamedBody(chunks: AsyncIterable<Buffer> | Iterable<Buffer>): Readable {
  return Readable.from(counted(chunks), { objectMode: false, highWaterMark: aheadBytes });
}

async function* counted(chunks: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    yield chunk;
    countPassedBytes(chunk.length);
  }
}
