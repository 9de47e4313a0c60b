import { count, date, id, listOf, oneOf, part, type RecordOf, text } from '@panel/kit/records';

const journalKinds = ['issue', 'payment', 'refund', 'dispute', 'credits'] as const;
export type JournalKind = (typeof journalKinds)[number];

const journalLineFields = {
  /** As of `accounts`. */
  account: id,
  /** Positive: debit. */
  amountMinor: count,
};
export type JournalLine = RecordOf<typeof journalLineFields>;

export const journalEntryFields = {
  /** Of the event: a repetition changes nothing. */
  id,
  kind: oneOf(journalKinds),
  at: date,
  userId: id,
  currency: id,
  /** Of the invoice, credit note or entry of credits. */
  documentId: id,
  /** Number of the document, or a note. */
  text,
  /** Sum to 0. */
  lines: listOf(part(journalLineFields)),
};
/** An event that moved value. Never changes. */
export type JournalEntry = RecordOf<typeof journalEntryFields>;

/** A class, and what it is of. */
export const accounts = {
  /** Money at a gateway, or received by hand (`manual`). */
  cash: (method: string) => `cash:${method}`,
  /** Issued, not yet paid; credit notes are open here until their money has gone. */
  receivable: (invoiceId: string) => `receivable:${invoiceId}`,
  /** Net of what an invoice sells: time still to come, and what is earned of it. */
  sales: (invoiceId: string) => `sales:${invoiceId}`,
  /** By country and hundredths of a percent. */
  tax: (country: string, basisPoints: number) => `tax:${country}:${basisPoints}`,
  /** Owed to a customer. */
  credits: (lotId: string) => `credits:${lotId}`,
  /** Owed by a customer: credits below zero. */
  debt: (userId: string) => `debt:${userId}`,
  /** Hours of a metered service that are paid and not yet on an invoice. */
  usage: (subscriptionId: string) => `usage:${subscriptionId}`,
  /** Held or lost for a dispute. */
  disputed: (invoiceId: string) => `disputed:${invoiceId}`,
  promotion: 'promotion',
  /** Credits that staff took, or whose source is unknown. */
  writtenOff: 'written_off',
} as const;

/** Lines without zeros, of one account once; null: nothing moved. Throws RangeError unless they sum to 0. */
export function balanced(
  entry: Omit<JournalEntry, 'lines'>,
  lines: readonly (readonly [account: string, amountMinor: number])[],
): JournalEntry | null {
  const sums = new Map<string, number>();
  for (const [account, amountMinor] of lines) sums.set(account, (sums.get(account) ?? 0) + amountMinor);
  const moved = [...sums].filter(([, amountMinor]) => amountMinor !== 0);
  if (moved.reduce((sum, [, amountMinor]) => sum + amountMinor, 0) !== 0)
    throw new RangeError(`the journal entry ${entry.id} does not sum to zero`);
  if (moved.length === 0) return null;
  return { ...entry, lines: moved.map(([account, amountMinor]) => ({ account, amountMinor })) };
}
