import type { MongoConnection } from '@panel/kit/mongo';
import type { ActiveSum, RevenueRow, TaxBasis, TaxRow } from '../domain/report.js';
import type { PlanInterval } from '../domain/product.js';

export interface ReportStore {
  /** By month in `timezone`. */
  revenue(start: Date, end: Date, timezone: string): Promise<RevenueRow[]>;
  /** Likewise. Bought credits are no supply. */
  tax(start: Date, end: Date, timezone: string, basis: TaxBasis): Promise<TaxRow[]>;
  /** Started and not ended at the time, by interval. */
  activeAt(at: Date, currency: string): Promise<ActiveSum[]>;
  countStarted(start: Date, end: Date, currency: string): Promise<number>;
  countEnded(start: Date, end: Date, currency: string): Promise<number>;
}

const maxTimeMS = 30_000;
/** Credits are no product, nor are their refunds. */
const ofProducts = { $match: { 'items.productId': { $ne: '' } } };

type TaxSums = Pick<TaxRow, 'netMinor' | 'taxMinor' | 'totalMinor' | 'invoices'>;

export function createReportStore(connection: MongoConnection): ReportStore {
  const invoices = () => connection.collection('invoices');
  const subscriptions = () => connection.collection('subscriptions');
  return {
    revenue: async (start, end, timezone) => {
      const rows = await invoices()
        .aggregate<{ _id: { month: string; productId: string; currency: string } } & Omit<RevenueRow, 'month'>>(
          [
            { $match: { paidAt: { $gte: start, $lt: end }, status: { $in: ['paid', 'refunded'] } } },
            { $unwind: '$items' },
            ofProducts,
            {
              $group: {
                _id: {
                  month: { $dateToString: { date: '$paidAt', format: '%Y-%m', timezone } },
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
    tax: async (start, end, timezone, basis) => {
      const [day, statuses] =
        basis === 'paid'
          ? (['paidAt', ['paid', 'refunded']] as const)
          : (['issuedAt', ['unpaid', 'overdue', 'paid', 'refunded', 'void']] as const);
      const rows = await invoices()
        .aggregate<{ _id: Omit<TaxRow, keyof TaxSums> } & TaxSums>(
          [
            { $match: { [day]: { $gte: start, $lt: end }, status: { $in: statuses } } },
            { $unwind: '$items' },
            ofProducts,
            {
              $group: {
                _id: {
                  month: { $dateToString: { date: `$${day}`, format: '%Y-%m', timezone } },
                  country: { $ifNull: ['$tax.country', ''] },
                  treatment: { $ifNull: ['$tax.treatment', 'standard'] },
                  basisPoints: '$taxRateBasisPoints',
                  currency: '$currency',
                },
                netMinor: { $sum: '$items.netMinor' },
                taxMinor: { $sum: '$items.taxMinor' },
                totalMinor: { $sum: '$items.totalMinor' },
                ids: { $addToSet: '$_id' },
              },
            },
            { $project: { netMinor: 1, taxMinor: 1, totalMinor: 1, invoices: { $size: '$ids' } } },
            {
              $sort: { '_id.month': 1, '_id.country': 1, '_id.basisPoints': 1, '_id.treatment': 1, '_id.currency': 1 },
            },
          ],
          { maxTimeMS },
        )
        .toArray();
      return rows.map(({ _id, ...sums }) => ({ ..._id, ...sums }));
    },
    activeAt: async (at, currency) => {
      const rows = await subscriptions()
        .aggregate<{
          _id: { interval: PlanInterval; intervalCount: number };
          priceMinor: number;
          subscriptions: number;
        }>(
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
                subscriptions: { $sum: 1 },
              },
            },
          ],
          { maxTimeMS },
        )
        .toArray();
      return rows.map(({ _id, priceMinor, subscriptions: count }) => ({ ..._id, priceMinor, subscriptions: count }));
    },
    countStarted: async (start, end, currency) =>
      subscriptions().countDocuments({ anchorAt: { $gte: start, $lt: end }, 'plan.currency': currency }, { maxTimeMS }),
    countEnded: async (start, end, currency) =>
      subscriptions().countDocuments(
        { endedAt: { $gte: start, $lt: end }, anchorAt: { $ne: null }, 'plan.currency': currency },
        { maxTimeMS },
      ),
  };
}
