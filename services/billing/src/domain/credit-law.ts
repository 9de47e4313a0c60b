import { derivedId } from '@panel/rpc';
import type { CreditEntry, CreditReason } from './credit.js';
import { type GiftCode, giftEntry, redemptionOf } from './gift-code.js';
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

/** Null: the gift code of the entry was redeemed by its customer. */
export function giftProblem(entry: CreditEntry, code: GiftCode | undefined): string | null {
  if (!code) return 'it names no gift code';
  const redemption = redemptionOf(code, entry.userId);
  const wanted = redemption && giftEntry(code, redemption);
  if (wanted?.id !== entry.id || wanted.currency !== entry.currency)
    return 'its customer has not redeemed that gift code';
  return entry.amountMinor === wanted.amountMinor ? null : `its gift code gives ${wanted.amountMinor}`;
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
