import type { MongoConnection } from '@panel/kit/mongo';
import type { PlanInterval } from '../domain/product.js';

export interface RevenueRow {
  readonly month: string;
  readonly productId: string;
  readonly productName: string;
  readonly currency: string;
  readonly revenueMinor: number;
  readonly invoices: number;
}

/** What services of one kind of plan bring together. */
export interface ActiveSum {
  readonly interval: PlanInterval;
  readonly intervalCount: number;
  readonly priceMinor: number;
  readonly services: number;
}

/** Sums over invoices and services. Reads only. */
export interface ReportStore {
  revenue(start: Date, end: Date): Promise<RevenueRow[]>;
  /** Services that had started and not ended at a time, summed by their interval. */
  activeAt(at: Date, currency: string): Promise<ActiveSum[]>;
  countStarted(start: Date, end: Date, currency: string): Promise<number>;
  countEnded(start: Date, end: Date, currency: string): Promise<number>;
}

const maxTimeMS = 30_000;

export function createReportStore(connection: MongoConnection): ReportStore {
  const invoices = () => connection.collection('invoices');
  const services = () => connection.collection('services');
  return {
    revenue: async (start, end) => {
      const rows = await invoices()
        .aggregate<{ _id: { month: string; productId: string; currency: string } } & Omit<RevenueRow, 'month'>>(
          [
            { $match: { paidAt: { $gte: start, $lt: end }, status: { $in: ['paid', 'refunded'] } } },
            { $unwind: '$items' },
            { $match: { 'items.purpose': { $ne: 'credits' } } },
            {
              $group: {
                _id: {
                  month: { $dateToString: { date: '$paidAt', format: '%Y-%m', timezone: 'UTC' } },
                  productId: '$items.productId',
                  currency: '$currency',
                },
                productName: { $last: '$items.productName' },
                revenueMinor: { $sum: '$items.netMinor' },
                ids: { $addToSet: '$_id' },
              },
            },
            { $project: { productName: 1, revenueMinor: 1, invoices: { $size: '$ids' } } },
            { $sort: { '_id.month': 1, '_id.productId': 1, '_id.currency': 1 } },
          ],
          { maxTimeMS },
        )
        .toArray();
      return rows.map(({ _id, productName, revenueMinor, invoices: count }) => ({
        ..._id,
        productName,
        revenueMinor,
        invoices: count,
      }));
    },
    activeAt: async (at, currency) => {
      const rows = await services()
        .aggregate<{ _id: { interval: PlanInterval; intervalCount: number }; priceMinor: number; services: number }>(
          [
            {
              $match: {
                anchorAt: { $lt: at },
                $or: [{ endedAt: null }, { endedAt: { $gte: at } }],
                'plan.currency': currency,
              },
            },
            {
              $group: {
                _id: { interval: '$plan.interval', intervalCount: '$plan.intervalCount' },
                priceMinor: { $sum: '$plan.priceMinor' },
                services: { $sum: 1 },
              },
            },
          ],
          { maxTimeMS },
        )
        .toArray();
      return rows.map(({ _id, priceMinor, services: count }) => ({ ..._id, priceMinor, services: count }));
    },
    countStarted: async (start, end, currency) =>
      services().countDocuments({ anchorAt: { $gte: start, $lt: end }, 'plan.currency': currency }, { maxTimeMS }),
    countEnded: async (start, end, currency) =>
      services().countDocuments(
        { endedAt: { $gte: start, $lt: end }, anchorAt: { $ne: null }, 'plan.currency': currency },
        { maxTimeMS },
      ),
  };
}
