import { isTimeLimit, type MongoConnection } from '@panel/kit/mongo';
import type { OpenFilter, OpenRow, PaymentsRow } from '../domain/report.js';

const maxTimeMS = 30_000;

/** `$gte` and `$lt` use the index, a regular expression scans it. */
const ofClass = (name: string) => ({ $gte: `${name}:`, $lt: `${name};` });
const sumIf = (condition: unknown) => ({ $sum: { $cond: [condition, '$amountMinor', 0] } });
const isOfClass = (name: string) => ({ $eq: [{ $substrBytes: ['$account', 0, name.length + 1] }, `${name}:`] });
const afterClass = (name: string, account: string) => ({ $substrBytes: [account, name.length + 1, -1] });

export function createJournalReportStore(connection: MongoConnection) {
  const journal = () => connection.collection('journal');
  return {
    /** Customers with something open, by currency, the largest first. Null: more than `limit`, or it takes too long. */
    receivables: async (
      { end, at, timezone, currency, userId }: OpenFilter,
      limit: number,
    ): Promise<OpenRow[] | null> =>
      unlessTooLong(async () => {
        const rows = await journal()
          .aggregate<{ _id: Pick<OpenRow, 'userId' | 'currency'> } & Omit<OpenRow, 'userId' | 'currency'>>(
            [
              {
                $match: {
                  at: { $lt: end },
                  $or: [{ 'lines.account': ofClass('receivable') }, { 'lines.account': ofClass('debt') }],
                  ...(currency === undefined ? {} : { currency }),
                  ...(userId === undefined ? {} : { userId }),
                },
              },
              { $project: { userId: 1, currency: 1, lines: 1 } },
              { $unwind: '$lines' },
              { $match: { $or: [{ 'lines.account': ofClass('receivable') }, { 'lines.account': ofClass('debt') }] } },
              {
                $group: {
                  _id: { account: '$lines.account', currency: '$currency' },
                  userId: { $first: '$userId' },
                  amountMinor: { $sum: '$lines.amountMinor' },
                },
              },
              { $match: { amountMinor: { $ne: 0 } } },
              {
                $project: {
                  userId: 1,
                  amountMinor: 1,
                  account: '$_id.account',
                  currency: '$_id.currency',
                  invoiceId: afterClass('receivable', '$_id.account'),
                },
              },
              {
                $lookup: {
                  from: 'invoices',
                  localField: 'invoiceId',
                  foreignField: '_id',
                  as: 'invoice',
                  pipeline: [{ $project: { dueAt: 1 } }],
                },
              },
              { $set: { dueAt: { $ifNull: [{ $first: '$invoice.dueAt' }, at] } } },
              {
                $set: {
                  isDebt: isOfClass('debt'),
                  days: {
                    $cond: [
                      { $lt: ['$amountMinor', 0] },
                      0,
                      { $dateDiff: { startDate: '$dueAt', endDate: at, unit: 'day', timezone } },
                    ],
                  },
                },
              },
              {
                $group: {
                  _id: { userId: '$userId', currency: '$currency' },
                  notDueMinor: sumIf(olderThan(null, 0)),
                  overdue30Minor: sumIf(olderThan(0, 30)),
                  overdue60Minor: sumIf(olderThan(30, 60)),
                  overdue90Minor: sumIf(olderThan(60, 90)),
                  overdueLongerMinor: sumIf(olderThan(90, null)),
                  debtMinor: sumIf('$isDebt'),
                  totalMinor: { $sum: '$amountMinor' },
                },
              },
              { $sort: { '_id.currency': 1, totalMinor: -1, '_id.userId': 1 } },
              { $limit: limit + 1 },
            ],
            { maxTimeMS },
          )
          .toArray();
        return rows.length > limit ? null : rows.map(({ _id, ...sums }) => ({ ..._id, ...sums }));
      }),
    /** By month in `timezone`. Null: it takes too long. */
    payments: async (start: Date, end: Date, timezone: string): Promise<PaymentsRow[] | null> =>
      unlessTooLong(async () => {
        const rows = await journal()
          .aggregate<{ _id: Pick<PaymentsRow, 'month' | 'gateway' | 'currency'> } & Omit<PaymentsRow, 'month'>>(
            [
              { $match: { at: { $gte: start, $lt: end }, 'lines.account': ofClass('cash') } },
              { $unwind: '$lines' },
              { $match: { 'lines.account': ofClass('cash') } },
              { $set: { amountMinor: '$lines.amountMinor' } },
              {
                $group: {
                  _id: {
                    month: { $dateToString: { date: '$at', format: '%Y-%m', timezone } },
                    gateway: afterClass('cash', '$lines.account'),
                    currency: '$currency',
                  },
                  receivedMinor: sumIf({ $and: [{ $ne: ['$kind', 'dispute'] }, { $gt: ['$amountMinor', 0] }] }),
                  refundedMinor: sumIf({ $and: [{ $ne: ['$kind', 'dispute'] }, { $lt: ['$amountMinor', 0] }] }),
                  disputedMinor: sumIf({ $eq: ['$kind', 'dispute'] }),
                  movements: { $sum: 1 },
                },
              },
              { $sort: { '_id.month': 1, '_id.gateway': 1, '_id.currency': 1 } },
            ],
            { maxTimeMS },
          )
          .toArray();
        return rows.map(({ _id, refundedMinor, disputedMinor, ...sums }) => ({
          ..._id,
          ...sums,
          refundedMinor: 0 - refundedMinor,
          disputedMinor: 0 - disputedMinor,
        }));
      }),
  };
}

/** Overdue by more days than the first, and no more than the second; debts have no age. */
function olderThan(more: number | null, atMost: number | null) {
  return {
    $and: [
      { $not: ['$isDebt'] },
      ...(more === null ? [] : [{ $gt: ['$days', more] }]),
      ...(atMost === null ? [] : [{ $lte: ['$days', atMost] }]),
    ],
  };
}

async function unlessTooLong<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (isTimeLimit(error)) return null;
    throw error;
  }
}
