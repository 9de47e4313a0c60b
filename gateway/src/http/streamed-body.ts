import { Readable } from 'node:stream';
import { countPassedBytes } from './passed-bytes.js';

/** Read ahead of a client that takes its time. */
const aheadBytes = 256 * 1024;

/** The body of an answer that passes through this process: read as fast as the client takes it. */
export function streamedBody(chunks: AsyncIterable<Buffer>): Readable {
  return Readable.from(counted(chunks), { objectMode: false, highWaterMark: aheadBytes });
}

async function* counted(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    yield chunk;
    countPassedBytes(chunk.length);
  }
}
