import { ManualClock } from '@panel/kit/testing';
import { expect } from 'chai';
import { requireReadingPace, requireSendingPace } from '../../src/direct/pace.js';

const minuteMs = 60_000;
const kibibyte = 1_024;

describe('the pace of a reader', () => {
  /** Of `chunkBytes` each, waiting as long before each pull as `waits` says. Resolves with the number of cuts. */
  const read = async (chunkBytes: number, waits: readonly number[], sourceMs = 0) => {
    const clock = new ManualClock();
    let cuts = 0;
    const source = async function* () {
      for (const _ of waits) {
        await clock.advance(sourceMs);
        yield Buffer.alloc(chunkBytes);
      }
    };
    const paced = requireReadingPace(source(), { clock, cut: () => (cuts += 1) });
    for (const wait of waits) {
      await paced.next();
      await clock.advance(wait);
    }
    await paced.next();
    expect(clock.pending).to.equal(0);
    return cuts;
  };

  it('cuts off a reader that takes nothing for 5 minutes', async () => {
    expect(await read(512 * kibibyte, [5 * minuteMs - 1])).to.equal(0);
    expect(await read(512 * kibibyte, [5 * minuteMs])).to.equal(1);
  });

  it('cuts off a reader that takes less than 512 KiB in 5 minutes, in pieces', async () => {
    expect(await read(16 * kibibyte, [minuteMs, minuteMs, minuteMs, minuteMs, minuteMs])).to.equal(1);
  });

  it('keeps a reader that takes 512 KiB every 4 minutes', async () => {
    expect(
      await read(
        128 * kibibyte,
        Array.from({ length: 40 }, () => minuteMs),
      ),
    ).to.equal(0);
  });

  it('counts no time that the source takes', async () => {
    expect(await read(16 * kibibyte, [1_000, 1_000, 1_000], 10 * minuteMs)).to.equal(0);
  });

  it('leaves no timer when the reader goes', async () => {
    const clock = new ManualClock();
    const source = async function* () {
      yield Buffer.alloc(1);
    };
    const paced = requireReadingPace(source(), { clock, cut: () => undefined });
    await paced.next();
    expect(clock.pending).to.equal(1);
    await paced.return(undefined);
    expect(clock.pending).to.equal(0);
  });
});

describe('the pace of a sender', () => {
  /** Of `chunkBytes` each, after as long as `waits` says. Resolves with the number of chunks that were taken. */
  const send = async (chunkBytes: number, waits: readonly number[], consumerMs = 0) => {
    const clock = new ManualClock();
    const source = async function* () {
      for (const wait of waits) {
        await clock.advance(wait);
        yield Buffer.alloc(chunkBytes);
      }
    };
    let taken = 0;
    let cuts = 0;
    for await (const _ of requireSendingPace(source(), { clock, cut: () => (cuts += 1) })) {
      taken += 1;
      await clock.advance(consumerMs);
    }
    expect(clock.pending).to.equal(0);
    expect(cuts).to.equal(taken === waits.length ? 0 : 1);
    return taken;
  };
  const minutes = (count: number) => Array.from({ length: count }, () => minuteMs);

  it('ends where a sender sends nothing for 5 minutes', async () => {
    expect(await send(512 * kibibyte, [minuteMs, 5 * minuteMs - 1, minuteMs])).to.equal(3);
    expect(await send(512 * kibibyte, [minuteMs, 5 * minuteMs, minuteMs])).to.equal(1);
  });

  it('ends where a sender sends less than 512 KiB in 5 minutes, in pieces', async () => {
    expect(await send(16 * kibibyte, minutes(6))).to.equal(4);
    expect(await send(128 * kibibyte, minutes(40))).to.equal(40);
  });

  it('counts no time that the disk takes', async () => {
    expect(await send(16 * kibibyte, [1_000, 1_000, 1_000], 10 * minuteMs)).to.equal(3);
  });

  it('leaves neither a timer nor the source open when the consumer goes', async () => {
    const clock = new ManualClock();
    let isClosed = false;
    const source = async function* () {
      try {
        yield Buffer.alloc(1);
      } finally {
        isClosed = true;
      }
    };
    for await (const _ of requireSendingPace(source(), { clock, cut: () => undefined })) break;
    expect([clock.pending, isClosed]).to.deep.equal([0, true]);
  });
});
