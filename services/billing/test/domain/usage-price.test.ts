import { expect } from 'chai';
import { addUsage, costOfHour, noUsage, type UsageMonth } from '../../src/domain/usage-price.js';

const rates = {
  runningHourMicros: 1_500_000,
  memoryGbHourMicros: 500_000,
  diskGbHourMicros: 1_000,
  trafficGbMicros: 2_000_000,
  monthlyCapMinor: 0,
};
const untaxed = { basisPoints: 0, isInclusive: false };

describe('the price of usage', () => {
  it('sums running time, memory, disk and traffic', () => {
    const used = {
      runningSeconds: 1_800,
      memoryMbSeconds: 2_048 * 1_800,
      diskMbSeconds: 10_240 * 3_600,
      trafficBytes: 1_024 ** 3,
    };
    // Half an hour, one GB-hour, ten GB-hours of disk, one GB.
    expect(costOfHour(used, rates)).to.equal(750_000 + 500_000 + 10_000 + 2_000_000);
  });

  it('costs nothing for no usage', () => {
    expect(costOfHour({ runningSeconds: 0, memoryMbSeconds: 0, diskMbSeconds: 0, trafficBytes: 0 }, rates)).to.equal(0);
  });

  it('stays a safe integer at the highest rates', () => {
    const most = { ...rates, memoryGbHourMicros: 1_000_000_000_000 };
    const used = {
      runningSeconds: 3_600,
      memoryMbSeconds: 16_777_216 * 3_600,
      diskMbSeconds: 0,
      trafficBytes: 2 ** 50,
    };
    expect(costOfHour(used, most)).to.satisfy(Number.isSafeInteger);
  });

  const month = (hours: readonly number[], cap = 0, rate = untaxed): UsageMonth =>
    hours.reduce((sum, micros) => addUsage(sum, micros, { ...rates, monthlyCapMinor: cap }, rate), noUsage);

  it('carries fractions of a minor unit on to the next hour', () => {
    expect(month([400_000]).grossMinor).to.equal(0);
    expect(month([400_000, 400_000]).grossMinor).to.equal(0);
    expect(month([400_000, 400_000, 400_000]).grossMinor).to.equal(1);
    expect(month(Array.from({ length: 720 }, () => 1_333_333)).grossMinor).to.equal(959);
  });

  it('costs no more than the cap of the month', () => {
    expect(month([5_000_000, 5_000_000], 7).grossMinor).to.equal(7);
    expect(month([5_000_000, 5_000_000, 5_000_000], 7).netMinor).to.equal(7);
  });

  it('adds the tax to the month, not to every hour', () => {
    const rate = { basisPoints: 1_900, isInclusive: false };
    expect(
      month(
        Array.from({ length: 100 }, () => 1_000_000),
        0,
        rate,
      ).grossMinor,
    ).to.equal(119);
    expect(
      month(
        Array.from({ length: 100 }, () => 1_000_000),
        0,
        { ...rate, isInclusive: true },
      ).grossMinor,
    ).to.equal(100);
  });

  it('keeps the price of usage from falling when the tax rate falls', () => {
    const taxed = month([100_000_000], 0, { basisPoints: 1_900, isInclusive: false });
    expect(addUsage(taxed, 0, rates, untaxed).grossMinor).to.equal(119);
  });
});
