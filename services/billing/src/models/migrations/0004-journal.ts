import { randomUUID } from 'node:crypto';
import type { Migration, MongoConnection } from '@panel/kit/mongo';
import { derivedId } from '@panel/rpc';

interface LedgerRow {
  readonly _id: string;
  readonly accountId: string;
  readonly userId: string;
  readonly currency: string;
  readonly amountMinor: number;
  readonly reason: string;
  readonly reference: string;
  readonly note: string;
  readonly createdAt: Date;
  readonly lots?: readonly { readonly id: string; readonly amountMinor: number }[];
}

const batchSize = 500;

/** The journal begins with the ledger of credits there is; the job writes the entries of the marked invoices. */
export const journal: Migration = {
  name: '0004-journal',
  run: async (mongo, signal) => {
    await mongo
      .collection('invoices')
      .updateMany({ journalMark: { $exists: false } }, { $set: { journalMark: randomUUID() } });
    let rows: LedgerRow[] = [];
    for await (const row of mongo.collection<LedgerRow>('credit_ledger').find({ amountMinor: { $ne: 0 } })) {
      if (signal.aborted) return;
      rows.push(row);
      if (rows.length < batchSize) continue;
      await write(mongo, rows);
      rows = [];
    }
    await write(mongo, rows);
  },
};

async function write(mongo: MongoConnection, rows: readonly LedgerRow[]): Promise<void> {
  if (rows.length === 0) return;
  const references = { _id: { $in: rows.map(({ reference }) => reference) } };
  const named = async (name: string, filter: object) => {
    const found = await mongo
      .collection<{ _id: string }>(name)
      .find({ ...references, ...filter })
      .toArray();
    return new Set(found.map(({ _id }) => _id));
  };
  const orders = await named('orders', {});
  const topUps = await named('invoices', { 'items.purpose': 'credits' });
  const postedAt = new Date();
  const writes = rows.map((row) => {
    const _id = `credits:${row._id}`;
    const entry = { ...entryOf(row, againstOf(row, orders, topUps)), postedAt };
    return { updateOne: { filter: { _id }, update: { $setOnInsert: entry }, upsert: true } };
  });
  await mongo.collection<{ _id: string }>('journal').bulkWrite(writes, { ordered: false });
}

function againstOf({ reason, reference }: LedgerRow, orders: ReadonlySet<string>, topUps: ReadonlySet<string>): string {
  if (reason === 'grant') return 'promotion';
  if (reason === 'usage') return `usage:${reference}`;
  if (reference === '') return 'written_off';
  if (orders.has(reference)) return `receivable:${derivedId(reference, 'invoice')}`;
  if (topUps.has(reference) && reason !== 'overpayment') return `sales:${reference}`;
  return reason === 'dispute' || reason === 'reversal' ? `disputed:${reference}` : `receivable:${reference}`;
}

function entryOf({ _id, accountId, userId, currency, amountMinor, createdAt, note, lots }: LedgerRow, against: string) {
  const sign = amountMinor < 0 ? 1 : -1;
  const moved = lots ?? [{ id: accountId, amountMinor: Math.abs(amountMinor) }];
  const debtMinor = moved.reduce((sum, lot) => sum - sign * lot.amountMinor, -amountMinor);
  const lines = [
    ...moved.map((lot) => ({ account: `credits:${lot.id}`, amountMinor: sign * lot.amountMinor })),
    ...(debtMinor === 0 ? [] : [{ account: `debt:${userId}`, amountMinor: debtMinor }]),
    { account: against, amountMinor },
  ];
  return { kind: 'credits', at: createdAt, userId, currency, documentId: _id, text: note, lines };
}
