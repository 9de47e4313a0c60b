import { derivedId } from '@panel/rpc';
import type { CreditEntry, CreditReason } from './credit.js';
import type { Invoice } from './invoice.js';

/** Entries that give credits for money: each follows from its invoice. */
export const foundedReasons: readonly CreditReason[] = ['purchase', 'refund', 'overpayment'];

/** Null: the invoice has paid for the entry. */
export function creditProblem(entry: CreditEntry, invoice: Invoice | undefined): string | null {
  if (!invoice) return 'it names no invoice';
  if (invoice.currency !== entry.currency || invoice.userId !== entry.userId)
    return 'its invoice is of another account';
  const mostMinor = mostOf(entry, invoice);
  return entry.amountMinor <= mostMinor ? null : `its invoice ${invoice.number} accounts for ${mostMinor} of it`;
}

function mostOf({ id, reason }: CreditEntry, { id: invoiceId, items, payments, refunds, status }: Invoice): number {
  switch (reason) {
    case 'purchase': {
      const isPaid = status === 'paid' || status === 'refunded';
      return isPaid ? sumOf(items.filter(({ purpose }) => purpose === 'credits').map(({ netMinor }) => netMinor)) : 0;
    }
    case 'refund': {
      const own = refunds.filter((refund) => refund.state !== 'failed' && derivedId(refund.id, 'credits') === id);
      return sumOf(own.map(({ amountMinor }) => amountMinor));
    }
    case 'overpayment': {
      const own = payments.filter((payment) => derivedId(invoiceId, `excess ${payment.id}`) === id);
      return sumOf(own.map(({ amountMinor }) => amountMinor));
    }
    default:
      return 0;
  }
}

function sumOf(amounts: readonly number[]): number {
  return amounts.reduce((sum, amount) => sum + amount, 0);
}
