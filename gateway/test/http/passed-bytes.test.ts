import { expect } from 'chai';
import { countPassedBytes } from '../../src/http/passed-bytes.js';

const chunkBytes = 64 * 1024;
const megabyte = 1024 * 1024;

describe('bytes that pass through the gateway', () => {
  // Without the count their buffers take 32 MiB, in most states of the heap.
  it('take less than 16 MiB of memory at a time', async () => {
    expect(await peakMegabytes(countPassedBytes)).to.be.below(16);
  });
});

/** Peak of the buffers of 256 MiB, each in use briefly. */
async function peakMegabytes(count: typeof countPassedBytes): Promise<number> {
  const before = process.memoryUsage().arrayBuffers;
  let peak = 0;
  for (let sent = 0; sent < 256 * megabyte; sent += chunkBytes) {
    Buffer.allocUnsafeSlow(chunkBytes);
    count(chunkBytes);
    peak = Math.max(peak, process.memoryUsage().arrayBuffers - before);
    if (sent % megabyte === 0) await new Promise(setImmediate);
  }
  return peak / megabyte;
}
