import type { InvoiceItem, InvoiceRecord, InvoiceRefund } from './invoice.js';
import { allocate, scaleHalfUp } from './money.js';

/** Proportional to the refund, or of its line; tax as on the invoice. */
export function creditNoteOf(invoice: InvoiceRecord, refund: InvoiceRefund): InvoiceRecord {
  const { amountMinor, line, at } = refund;
  const totals = allocate(
    amountMinor,
    invoice.items.map((item, index) => (line === undefined || line === index ? item.totalMinor : 0)),
  );
  const items = invoice.items.flatMap((item, index): InvoiceItem[] => {
    const total = totals[index] ?? 0;
    if (total === 0) return [];
    const tax = item.totalMinor === 0 ? 0 : scaleHalfUp(item.taxMinor, total, item.totalMinor);
    return [
      {
        ...item,
        purpose: 'refund',
        quantity: 1,
        unitPriceMinor: -(total - tax),
        setupFeeMinor: 0,
        discountMinor: 0,
        netMinor: -(total - tax),
        taxMinor: -tax,
        totalMinor: -total,
      },
    ];
  });
  const sum = (field: 'netMinor' | 'taxMinor') => items.reduce((total, item) => total + item[field], 0);
  return {
    ...invoice,
    id: refund.creditNoteId,
    kind: 'credit_note',
    sequence: null,
    number: '',
    status: 'paid',
    correctsInvoiceId: invoice.id,
    items,
    subtotalMinor: sum('netMinor'),
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
