import { connectMongo, type MongoConnection } from '@panel/kit/mongo';
import { dropTestDatabase, testMongoUrl } from '@panel/testing';
import { expect } from 'chai';
import fc from 'fast-check';
import { deferredMinor, earnedMinor, type RevenueSegment } from '../../src/domain/revenue-schedule.js';
import { createRevenueScheduleStore } from '../../src/models/revenue-schedule.js';

const at = (hour: number) => new Date(Date.UTC(2026, 0, 1) + hour * 3_600_000 + (hour % 7) * 1_234);
const hour = fc.nat(2_000);
const segment = fc
  .record({ from: hour, start: hour, length: fc.nat(900), until: fc.option(fc.nat(900)), amountMinor: fc.integer() })
  .map(({ from, start, length, until, amountMinor }): RevenueSegment => {
    const span = { start: at(start), end: new Date(at(start).getTime() + length * 3_600_123) };
    const capped = until === null ? null : at(from + until);
    return {
      productId: 'p',
      productName: 'P',
      from: at(from),
      until: capped,
      ...span,
      amountMinor: amountMinor % 100_000,
    };
  });
const cases = fc.record({
  segments: fc.array(segment, { minLength: 1, maxLength: 8 }),
  first: hour,
  length: fc.nat(1_500),
});

describe('revenue schedules', function () {
  this.timeout(60_000);
  let url = '';
  let mongo: MongoConnection;
  before(async () => {
    url = testMongoUrl('billing_schedules');
    mongo = await connectMongo(url, { appName: 'test' });
  });
  after(async () => {
    await mongo?.close();
    await dropTestDatabase(url);
  });

  it('sums in the database what the domain computes, for any segments and any months', async () => {
    const store = createRevenueScheduleStore(mongo);
    const property = fc.asyncProperty(cases, async ({ segments, first, length }) => {
      // Each of a document of its own, which a query leaves out when its time is over or not there yet.
      await mongo.collection('revenue_schedules').deleteMany({});
      for (const [index, one] of segments.entries())
        await store.put({ invoiceId: String(index), currency: 'EUR', segments: [one] });
      const [start, end] = [at(first), at(first + length)];
      const sum = (of: (one: RevenueSegment) => number) => segments.reduce((total, one) => total + of(one), 0);
      const expected = {
        earnedMinor: sum((one) => earnedMinor(one, end) - earnedMinor(one, start)),
        deferredMinor: sum((one) => deferredMinor(one, end)),
      };
      const [row = { earnedMinor: 0, deferredMinor: 0 }] = await store.earned(start, end);
      expect({ earnedMinor: row.earnedMinor, deferredMinor: row.deferredMinor }).to.deep.equal(expected);
    });
    await fc.assert(property, { numRuns: 150 });
  });
});
