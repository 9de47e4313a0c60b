import { defineModel, documentSchema, type MongoConnection } from '@panel/kit/mongo';
import { date, id, listOf } from '@panel/kit/records';
import type { EarnedRow } from '../domain/report.js';
import { type RevenueSegment, revenueSegment } from '../domain/revenue-schedule.js';

/** Of an invoice, whose id it has: computed from it. Sharding: by _id (hashed). */
const scheduleSchema = documentSchema({
  id,
  currency: id,
  segments: listOf(revenueSegment),
  /** Of all segments. */
  firstAt: date,
  lastAt: date,
});
scheduleSchema.index({ lastAt: 1, firstAt: 1 }, { name: 'schedule_span' });

interface RevenueSchedule {
  readonly invoiceId: string;
  readonly currency: string;
  readonly segments: readonly RevenueSegment[];
}

export interface RevenueScheduleStore {
  /** Replaces it. Without segments there is none. */
  put(schedule: RevenueSchedule): Promise<void>;
  /** `start` <= time < `end`, by product; deferred at the end. */
  earned(start: Date, end: Date): Promise<EarnedRow[]>;
}

const maxTimeMS = 30_000;

export function createRevenueScheduleStore(connection: MongoConnection): RevenueScheduleStore {
  const model = defineModel(connection, 'RevenueSchedule', scheduleSchema, 'revenue_schedules');
  return {
    put: async ({ invoiceId, currency, segments }) => {
      if (segments.length === 0) {
        await model.deleteOne({ _id: invoiceId }).maxTimeMS(maxTimeMS);
        return;
      }
      const times = segments.flatMap(({ from, start, end }) => [from.getTime(), start.getTime(), end.getTime()]);
      const [firstAt, lastAt] = [new Date(Math.min(...times)), new Date(Math.max(...times))];
      await model
        .updateOne({ _id: invoiceId }, { $set: { currency, segments, firstAt, lastAt } }, { upsert: true })
        .maxTimeMS(maxTimeMS);
    },
    earned: async (start, end) => {
      const rows = await model
        .aggregate<{ _id: Pick<EarnedRow, 'productId' | 'currency'> } & Omit<EarnedRow, 'productId' | 'currency'>>([
          { $match: { lastAt: { $gte: start }, firstAt: { $lt: end } } },
          { $unwind: '$segments' },
          {
            $group: {
              _id: { productId: '$segments.productId', currency: '$currency' },
              productName: { $last: '$segments.productName' },
              earnedMinor: { $sum: { $subtract: [earnedAt(end), earnedAt(start)] } },
              deferredMinor: { $sum: deferredAt(end) },
            },
          },
          { $match: { $or: [{ earnedMinor: { $ne: 0 } }, { deferredMinor: { $ne: 0 } }] } },
          { $sort: { '_id.productId': 1, '_id.currency': 1 } },
        ])
        .option({ maxTimeMS });
      return rows.map(({ _id, ...sums }) => ({ ..._id, ...sums }));
    },
  };
}

const ms = (from: string | Date, to: string | object) => ({ $subtract: [to, from] });

/** As `earnedMinor` of the domain. */
function earnedAt(at: Date) {
  const wholeMs = ms('$segments.start', '$segments.end');
  const to = { $min: [{ $ifNull: ['$segments.until', at] }, at] };
  const passedMs = { $min: [wholeMs, { $max: [0, ms('$segments.start', to)] }] };
  const share = { $floor: { $multiply: ['$segments.amountMinor', { $divide: [passedMs, wholeMs] }] } };
  const earned = { $cond: [{ $lte: [wholeMs, 0] }, '$segments.amountMinor', share] };
  return { $cond: [{ $lt: [at, '$segments.from'] }, 0, earned] };
}

/** As `deferredMinor` of the domain. */
function deferredAt(at: Date) {
  const isReplaced = { $lte: [{ $ifNull: ['$segments.until', maxDate] }, at] };
  const isNone = { $or: [{ $lt: [at, '$segments.from'] }, isReplaced] };
  return { $cond: [isNone, 0, { $subtract: ['$segments.amountMinor', earnedAt(at)] }] };
}

const maxDate = new Date(8.64e15);
