import { expect } from 'chai';
import { LogGapDetector } from '../src/docker/log-gap-detector.js';

const opened = Date.parse('2026-01-01T00:00:00Z');
const stamp = (ms: number) => BigInt(opened + ms) * 1_000_000n;

/** Reads entries `[stamp, time of reading]` in ms after the opening; returns those with a possible gap before. */
function suspicions(entries: readonly (readonly [number, number])[], aheadMs = 0): number[] {
  let now = opened;
  const watch = new LogGapDetector(new Date(opened).toUTCString(), () => now + aheadMs);
  let before: { time: bigint; lateMs: number } | null = null;
  const found: number[] = [];
  for (const [written, read] of entries) {
    now = opened + read;
    watch.heard();
    if (before && watch.isSuspicious(before.time, before.lateMs, stamp(written))) found.push(written);
    before = { time: stamp(written), lateMs: watch.took(stamp(written)) };
  }
  return found;
}

describe('log gap detector', () => {
  for (const aheadMs of [0, 3_600_000, -3_600_000]) {
    describe(`with our clock ${aheadMs / 1000} s before the engine's`, () => {
      it('reports a jump after a late entry', () => {
        const entries = [[10, 12] as const, [20, 5000] as const, [4900, 5001] as const, [4901, 5002] as const];
        expect(suspicions(entries, aheadMs)).to.deep.equal([4900]);
      });

      it('reports nothing for a quiet game that is read in time', () => {
        const entries = [[10, 12] as const, [3000, 3001] as const, [60_000, 60_050] as const];
        expect(suspicions(entries, aheadMs)).to.deep.equal([]);
      });

      it('reports nothing in a dense flood that is read late', () => {
        const entries = Array.from({ length: 500 }, (_, at) => [at, at * 20] as const);
        expect(suspicions(entries, aheadMs)).to.deep.equal([]);
      });
    });
  }

  it('reports nothing for entries older than the stream', () => {
    const entries = [[-60_000, 5] as const, [-30_000, 6] as const, [-2000, 7] as const];
    expect(suspicions(entries)).to.deep.equal([]);
  });
});
