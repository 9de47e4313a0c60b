import type { MongoConnection } from '@panel/kit/mongo';
import { type InvoiceRecord, isPayable, paidMinor } from '../src/domain/invoice.js';
import type { JournalEntry } from '../src/domain/journal.js';
import { revenueSegments, type RevenueSegment } from '../src/domain/revenue-schedule.js';

type Stored<T> = Omit<T, 'id'> & { readonly _id: string };

/** Of the journal at rest, against what it is written from. One sentence per violation. */
export async function journalProblems(
  invoices: readonly Stored<InvoiceRecord>[],
  mongo: MongoConnection,
): Promise<string[]> {
  const entries = await mongo.collection<Stored<JournalEntry>>('journal').find().toArray();
  const schedules = await mongo
    .collection<{ _id: string; segments: RevenueSegment[] }>('revenue_schedules')
    .find()
    .toArray();
  const accounts = await mongo
    .collection<{ _id: string; userId: string; currency: string; balanceMinor: number }>('credit_accounts')
    .find()
    .toArray();
  const sums = new Map<string, number>();
  const credits = new Map<string, number>();
  for (const { userId, currency, lines } of entries)
    for (const { account, amountMinor } of lines) {
      sums.set(account, (sums.get(account) ?? 0) + amountMinor);
      const key = `${userId}:${currency}`;
      if (/^(credits|debt):/.test(account)) credits.set(key, (credits.get(key) ?? 0) - amountMinor);
    }
  const scheduled = new Map(schedules.map(({ _id, segments }) => [_id, segments]));
  return [
    ...entries
      .filter(({ lines }) => lines.reduce((sum, { amountMinor }) => sum + amountMinor, 0) !== 0)
      .map(({ _id }) => `journal entry ${_id} does not sum to zero`),
    ...accounts
      .filter(({ _id, balanceMinor }) => (credits.get(_id) ?? 0) !== balanceMinor)
      .map(({ _id, balanceMinor }) => `the journal has ${credits.get(_id)} for the balance ${balanceMinor} of ${_id}`),
    ...invoices
      .filter(({ kind, refunds }) => kind === 'invoice' && refunds.every(({ state }) => state !== 'pending'))
      .flatMap((invoice) => invoiceProblems({ ...invoice, id: invoice._id }, sums, scheduled)),
  ];
}

function invoiceProblems(
  invoice: InvoiceRecord,
  sums: ReadonlyMap<string, number>,
  scheduled: ReadonlyMap<string, readonly RevenueSegment[]>,
): string[] {
  const { id, status, disputes, paidAt } = invoice;
  const openMinor = isPayable(invoice) ? invoice.totalMinor - paidMinor(invoice) : 0;
  const receivable = sums.get(`receivable:${id}`) ?? 0;
  const sales = sums.get(`sales:${id}`) ?? 0;
  const disputed = sums.get(`disputed:${id}`) ?? 0;
  const segments = revenueSegments(invoice);
  const earned = segments.reduce((sum, { amountMinor, until }) => sum + (until ? 0 : amountMinor), 0);
  const isOver = disputes.every(({ outcome }) => outcome !== 'open');
  const stored = scheduled.get(id) ?? [];
  return [
    ...(receivable === openMinor ? [] : [`${status} invoice ${id} of ${openMinor} has ${receivable} in the journal`]),
    ...(isOver && disputed !== 0 ? [`invoice ${id} leaves ${disputed} disputed`] : []),
    ...(isOver && paidAt && -sales !== earned + replaced(segments)
      ? [`invoice ${id} sold ${-sales}, earns ${earned}`]
      : []),
    ...(status === 'void' && sales !== 0 ? [`void invoice ${id} sold ${-sales}`] : []),
    ...(stored.length === segments.length ? [] : [`invoice ${id} has ${stored.length} of ${segments.length} segments`]),
  ];
}

/** Earned before a correction. */
function replaced(segments: readonly RevenueSegment[]): number {
  return segments.reduce((sum, { until, start, end, from, amountMinor }) => {
    if (!until || until < from) return sum;
    const share = Math.max(0, until.getTime() - start.getTime()) / (end.getTime() - start.getTime());
    return sum + Math.floor(amountMinor * Math.min(1, share));
  }, 0);
}
