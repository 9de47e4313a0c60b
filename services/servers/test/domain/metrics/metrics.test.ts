import { expect } from 'chai';
import {
  decodePoint,
  encodePoint,
  meanOf,
  type MetricsPoint,
  pointBetween,
  unknownPoint,
} from '../../../src/domain/metrics/point.js';
import { fineTier, minuteTier, placeOf, quarterTier, tierFor } from '../../../src/domain/metrics/tiers.js';

const point: MetricsPoint = {
  cpuPercent: 12.5,
  memoryBytes: 17_179_869_184,
  diskBytes: 1_048_576,
  networkRxBytesPerSecond: 125_000_000,
  networkTxBytesPerSecond: NaN,
};
const at = (ms: number) => new Date(1_700_000_000_000 + ms);
const counters = { run: 'a', cpuMs: 1_000, memoryBytes: 5, networkRxBytes: 100, networkTxBytes: 200, at: at(0) };

describe('metrics points', () => {
  it('keeps values and gaps of metrics points in 20 bytes', () => {
    expect(encodePoint(point)).to.have.length(20);
    expect(decodePoint(encodePoint(point))).to.deep.equal(point);
    expect(decodePoint(Buffer.alloc(7))).to.deep.equal(unknownPoint);
  });

  it('computes rates between two samples of the counters', () => {
    const now = { run: 'a', cpuMs: 6_000, memoryBytes: 7, networkRxBytes: 1_100, networkTxBytes: 200, at: at(10_000) };
    expect(pointBetween(counters, now, 9)).to.deep.equal({
      cpuPercent: 50,
      memoryBytes: 7,
      diskBytes: 9,
      networkRxBytesPerSecond: 100,
      networkTxBytesPerSecond: 0,
    });
  });

  it('leaves rates out at the first sample and after a restart of the game', () => {
    const first = pointBetween(null, counters, null);
    expect(first).to.deep.equal({ ...unknownPoint, memoryBytes: 5 });
    const restarted = pointBetween(counters, { ...counters, cpuMs: 3, networkRxBytes: 0, at: at(10_000) }, null);
    expect(restarted.cpuPercent).to.be.NaN;
    expect(restarted.networkRxBytesPerSecond).to.be.NaN;
    // A busy game soon exceeds the previous run's counters.
    const other = pointBetween(counters, { ...counters, run: 'b', cpuMs: 1_500, at: at(10_000) }, null);
    expect(other.cpuPercent).to.be.NaN;
  });

  it('averages what is known of each metric', () => {
    const mean = meanOf([point, { ...point, cpuPercent: 37.5, networkRxBytesPerSecond: NaN }, unknownPoint]);
    expect(mean).to.deep.equal({ ...point, cpuPercent: 25 });
    expect(meanOf([])).to.deep.equal(unknownPoint);
  });
});

describe('metrics tiers', () => {
  it('puts each step of a metrics tier into one bucket', () => {
    expect(placeOf(fineTier, 0)).to.deep.equal({ bucket: 0, index: 0 });
    expect(placeOf(fineTier, 119)).to.deep.equal({ bucket: 1, index: 59 });
    expect(placeOf(minuteTier, 60)).to.deep.equal({ bucket: 1, index: 0 });
    expect(placeOf(quarterTier, 96 * 3 + 5)).to.deep.equal({ bucket: 3, index: 5 });
  });

  it('chooses a metrics tier by how long ago the range begins', () => {
    const now = at(0).getTime();
    const hour = 3_600_000;
    expect(tierFor(now - hour, now)).to.equal(fineTier);
    expect(tierFor(now - 2 * hour, now)).to.equal(minuteTier);
    expect(tierFor(now - 24 * hour, now)).to.equal(minuteTier);
    expect(tierFor(now - 25 * hour, now)).to.equal(quarterTier);
    expect(tierFor(now - 500 * 24 * hour, now)).to.equal(quarterTier);
  });
});
