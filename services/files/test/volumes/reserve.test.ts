import { isAppError } from '@panel/kit/errors';
import { expect } from 'chai';
import { UsageMeter } from '../../src/volumes/usage.js';

describe('disk reservation', () => {
  const meterAt = (used: number) => {
    const state = { used };
    return {
      state,
      meter: new UsageMeter({
        maxAgeMs: 60_000,
        patienceMs: 20,
        measure: async () => state.used,
        monotonicMs: () => 0,
      }),
    };
  };
  const isRefused = (work: () => void) => {
    try {
      work();
      return false;
    } catch (error) {
      if (isAppError(error, 'DISK_LIMIT')) return true;
      throw error;
    }
  };

  it('accepts the last byte and refuses the next', async () => {
    const reservation = await meterAt(90).meter.reserve('a', 100);
    expect(isRefused(() => reservation.hold(10))).to.equal(false);
    expect(isRefused(() => reservation.hold(11))).to.equal(true);
    expect(isRefused(() => reservation.hold(5))).to.equal(false);
  });

  it('grants ten bytes to exactly 10 of 50 concurrent callers with room for ten', async () => {
    const { meter } = meterAt(0);
    const reservations = await Promise.all(Array.from({ length: 50 }, async () => meter.reserve('a', 100)));
    expect(reservations.filter((reservation) => !isRefused(() => reservation.hold(10)))).to.have.length(10);
  });

  it('returns a disk reservation when the work fails', async () => {
    const { meter } = meterAt(0);
    const first = await meter.reserve('a', 100);
    first.hold(100);
    const second = await meter.reserve('a', 100);
    expect(isRefused(() => second.hold(1))).to.equal(true);
    first.release();
    first.release();
    expect(isRefused(() => second.hold(100))).to.equal(false);
  });

  it('becomes usage when the work completes and never makes usage negative', async () => {
    const { meter } = meterAt(50);
    const first = await meter.reserve('a', 100);
    first.hold(30);
    first.commit(30);
    first.release();
    expect(await meter.read('a')).to.equal(80);
    (await meter.reserve('a', 100)).commit(-500);
    expect(await meter.read('a')).to.equal(0);
  });

  it('releases disk space above the limit too', async () => {
    const reservation = await meterAt(200).meter.reserve('a', 100);
    expect(isRefused(() => reservation.hold(0))).to.equal(false);
    expect(isRefused(() => reservation.hold(1))).to.equal(true);
  });

  it('reserves without bound for a limit of 0', async () => {
    const reservation = await meterAt(Number.MAX_SAFE_INTEGER).meter.reserve('a', 0);
    expect(isRefused(() => reservation.hold(10 ** 12))).to.equal(false);
  });

  it('counts disk reservations per server', async () => {
    const { meter } = meterAt(0);
    (await meter.reserve('a', 100)).hold(100);
    const other = await meter.reserve('b', 100);
    expect(isRefused(() => other.hold(100))).to.equal(false);
  });
});
