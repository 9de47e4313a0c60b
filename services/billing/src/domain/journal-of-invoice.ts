import { assertNever } from '@panel/kit/errors';
import type { InvoiceRecord, InvoiceRefund } from './invoice.js';
import { accounts, balanced, type JournalEntry, type JournalKind } from './journal.js';
import { gatewayPartOf } from './refund-parts.js';

type Lines = readonly (readonly [account: string, amountMinor: number])[];

/** Of what has happened to an issued document so far: its issue, its payments without credits, its refunds, its disputes. */
export function journalOfInvoice(invoice: InvoiceRecord): JournalEntry[] {
  if (invoice.number === '') return [];
  const entry = (kind: JournalKind, event: string, at: Date, lines: Lines) => {
    const { id: documentId, number: text, userId, currency } = invoice;
    const id = event === '' ? `${kind}:${documentId}` : `${kind}:${documentId}:${event}`;
    return balanced({ id, kind, at, userId, currency, documentId, text }, lines);
  };
  const receivable = accounts.receivable(invoice.correctsInvoiceId || invoice.id);
  const found = [
    entry('issue', '', invoice.issuedAt, issueLines(invoice)),
    ...invoice.payments.map(({ id, at, method, amountMinor }) => {
      const account = moneyOf(invoice, method);
      if (account === null) return null;
      return entry('payment', id, at, [
        [account, amountMinor],
        [receivable, -amountMinor],
      ]);
    }),
    ...invoice.refunds.map((refund) => {
      const paidOut = refund.state === 'done' ? paidOutOf(invoice, refund) : null;
      if (!paidOut) return null;
      const [account, amountMinor] = paidOut;
      return entry('refund', refund.id, refund.at, [
        [receivable, amountMinor],
        [account, -amountMinor],
      ]);
    }),
    ...invoice.disputes.map(({ reference, outcome, at, amountMinor = 0, method = '' }) => {
      if (outcome !== 'lost') return null;
      return entry('dispute', reference, at, [
        [accounts.disputed(invoice.id), amountMinor],
        [accounts.cash(method), -amountMinor],
      ]);
    }),
  ];
  return found.filter((one) => one !== null);
}

/** A credit note has negative amounts, on the accounts of what it corrects. */
function issueLines({ id, correctsInvoiceId, items, totalMinor, tax, taxRateBasisPoints }: InvoiceRecord): Lines {
  const sold = correctsInvoiceId || id;
  const taxMinor = items.reduce((sum, item) => sum + item.taxMinor, 0);
  return [
    [accounts.receivable(sold), totalMinor],
    [accounts.sales(sold), taxMinor - totalMinor],
    [accounts.tax(tax?.country ?? '', taxRateBasisPoints), -taxMinor],
  ];
}

/** Null: from credits, whose entry stands for it. Hours of usage are paid before their invoice. */
function moneyOf({ items }: InvoiceRecord, method: string): string | null {
  if (method !== 'credits') return accounts.cash(method);
  const usage = items.find(({ purpose }) => purpose === 'usage');
  return usage ? accounts.usage(usage.subscriptionId) : null;
}

/** What went not to credits, and from where; null: all of it did. */
function paidOutOf(
  invoice: InvoiceRecord,
  refund: InvoiceRefund,
): readonly [account: string, amountMinor: number] | null {
  const payment = invoice.payments.find(({ amountMinor, method }) => amountMinor > 0 && method !== 'credits');
  switch (refund.origin) {
    case 'dispute':
      return [accounts.disputed(invoice.id), refund.amountMinor];
    case 'gateway':
      return payment ? [accounts.cash(payment.method), refund.amountMinor] : null;
    case 'operator':
      if (refund.reference === '' || !payment) return null;
      return [accounts.cash(payment.method), gatewayPartOf(invoice, refund, payment)];
    default:
      return assertNever(refund.origin);
  }
}
