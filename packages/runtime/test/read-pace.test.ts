import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { ReadPace } from '../src/process/read-pace.js';

describe('pace of reading a game', () => {
  const read = async (pieces: number, bytes: number, rate: number, burst: number) => {
    const stream = new PassThrough({ highWaterMark: 1 });
    const pace = new ReadPace(stream, rate, burst);
    const startedAt = performance.now();
    let seen = 0;
    const done = new Promise<void>((resolve) => {
      stream.on('data', (data: Buffer) => {
        pace.read(data.length);
        seen += data.length;
        if (seen === pieces * bytes) resolve();
      });
    });
    for (let piece = 0; piece < pieces; piece++) stream.write(Buffer.alloc(bytes));
    await done;
    return performance.now() - startedAt;
  };

  it('holds a lasting flood to the rate and loses nothing of it', async () => {
    // 100 kB above a burst of 20 kB at 200 kB/s.
    expect(await read(120, 1_000, 200_000, 20_000)).to.be.greaterThan(400);
  });

  it('passes a burst at once', async () => {
    expect(await read(120, 1_000, 1_000, 120_000)).to.be.below(2_000);
  });
});
