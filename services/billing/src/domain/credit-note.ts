import type { InvoiceItem, InvoiceRecord, InvoiceRefund } from './invoice.js';
import { allocate, scaleHalfUp } from './money.js';

/**
 * Rate and treatment as on the invoice. Each item's tax is divided by running sums, so that the credit notes of a whole
 * invoice sum to its net and its tax.
 */
export function creditNoteOf(invoice: InvoiceRecord, refund: InvoiceRefund): InvoiceRecord {
  const { amountMinor, at } = refund;
  const before = creditedBefore(invoice, refund);
  const totals = sharesOf(invoice, refund, before);
  const items = invoice.items.flatMap((item, index): InvoiceItem[] => {
    const total = totals[index] ?? 0;
    if (total === 0) return [];
    const credited = before[index] ?? 0;
    const tax = taxUpTo(item, credited + total) - taxUpTo(item, credited);
    const net = total - tax;
    return [
      {
        ...item,
        purpose: 'refund',
        quantity: 1,
        unitPriceMinor: invoice.taxInclusive ? -total : -net,
        setupFeeMinor: 0,
        discountMinor: 0,
        netMinor: -net,
        taxMinor: -tax,
        totalMinor: -total,
      },
    ];
  });
  const sum = (field: 'unitPriceMinor' | 'taxMinor') => items.reduce((total, item) => total + item[field], 0);
  return {
    ...invoice,
    id: refund.creditNoteId,
    kind: 'credit_note',
    sequence: null,
    number: '',
    status: 'paid',
    correctsInvoiceId: invoice.id,
    items,
    subtotalMinor: sum('unitPriceMinor'),
    discountMinor: 0,
    taxMinor: sum('taxMinor'),
    totalMinor: -amountMinor,
    payments: [],
    refunds: [],
    refundedMinor: 0,
    disputes: [],
    issuedAt: at,
    dueAt: at,
    paidAt: at,
    createdAt: at,
    intent: null,
    effectsDueAt: null,
    step: null,
    stepAt: null,
  };
}

/** Of the first `credited` of an item. */
function taxUpTo({ taxMinor, totalMinor }: InvoiceItem, credited: number): number {
  return totalMinor === 0 ? 0 : scaleHalfUp(taxMinor, credited, totalMinor);
}

/** By item, of earlier refunds: the same at each repetition. Only refunds of credits fail, which have no tax. */
function creditedBefore(invoice: InvoiceRecord, refund: InvoiceRefund): number[] {
  const index = invoice.refunds.findIndex(({ id }) => id === refund.id);
  const earlier = invoice.refunds.slice(0, Math.max(0, index)).filter(({ state }) => state !== 'failed');
  return earlier.reduce<number[]>(
    (credited, each) => {
      const shares = sharesOf(invoice, each, credited);
      return credited.map((minor, item) => minor + (shares[item] ?? 0));
    },
    invoice.items.map(() => 0),
  );
}

/** Of its line as far as that goes, else of what remains of all, each in its share. */
function sharesOf(
  { items }: InvoiceRecord,
  { amountMinor, line }: InvoiceRefund,
  credited: readonly number[],
): number[] {
  const left = items.map(({ totalMinor }, index) => totalMinor - (credited[index] ?? 0));
  const own = line === undefined ? 0 : Math.min(amountMinor, left[line] ?? 0);
  const rest = left.map((minor, index) => (index === line ? minor - own : minor));
  return allocate(amountMinor - own, rest).map((minor, index) => (index === line ? minor + own : minor));
}
