import { expect } from 'chai';
import { countPassedBytes } from '../../src/http/passed-bytes.js';

const chunkBytes = 64 * 1024;
const megabyte = 1024 * 1024;

describe('bytes that pass through the gateway', () => {
  it('leave less than half of the memory that their buffers take otherwise', async () => {
    const uncounted = await peakMegabytes(() => undefined);
    const counted = await peakMegabytes(countPassedBytes);
    expect(uncounted).to.be.above(24);
    expect(counted).to.be.below(uncounted / 2);
  });
});

/** Peak of the buffers of 256 MiB, each in use briefly. */
async function peakMegabytes(count: (bytes: number) => void): Promise<number> {
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
