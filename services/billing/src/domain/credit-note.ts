import { derivedId } from '@panel/rpc';
import type { InvoiceItem, InvoiceRecord, InvoiceRefund } from './invoice.js';
import { allocate, scaleHalfUp } from './money.js';

type Line = { readonly line: number; readonly netMinor: number; readonly taxMinor: number };

/**
 * Rate and treatment as on the invoice. Each item's tax is divided by running sums, so that the credit notes of a whole
 * invoice sum to its net and its tax.
 */
export function creditNoteOf(invoice: InvoiceRecord, refund: InvoiceRefund): InvoiceRecord {
  const { creditNoteId: id, at } = refund;
  return { ...correctionOf(invoice, creditedLines(invoice, refund), at), id, status: 'paid', paidAt: at };
}

/** Of an invoice that was never paid, wholly: no money goes back. The id is derived from the invoice's. */
export function cancellationOf(invoice: InvoiceRecord, at: Date): InvoiceRecord {
  const lines = invoice.items.map(({ netMinor, taxMinor }, line) => ({ line, netMinor, taxMinor }));
  return {
    ...correctionOf(invoice, lines, at),
    id: derivedId(invoice.id, 'cancellation'),
    status: 'void',
    paidAt: null,
  };
}

function correctionOf(
  invoice: InvoiceRecord,
  lines: readonly Line[],
  at: Date,
): Omit<InvoiceRecord, 'id' | 'status' | 'paidAt'> {
  const items = lines.flatMap(({ line, netMinor, taxMinor }): InvoiceItem[] => {
    const item = invoice.items[line];
    const totalMinor = netMinor + taxMinor;
    if (!item) return [];
    return [
      {
        ...item,
        purpose: 'refund',
        quantity: 1,
        unitPriceMinor: invoice.taxInclusive ? -totalMinor : -netMinor,
        setupFeeMinor: 0,
        discountMinor: 0,
        netMinor: -netMinor,
        taxMinor: -taxMinor,
        totalMinor: -totalMinor,
      },
    ];
  });
  const sum = (field: 'unitPriceMinor' | 'taxMinor' | 'totalMinor') =>
    items.reduce((total, item) => total + item[field], 0);
  return {
    ...invoice,
    kind: 'credit_note',
    sequence: null,
    number: '',
    correctsInvoiceId: invoice.id,
    items,
    subtotalMinor: sum('unitPriceMinor'),
    discountMinor: 0,
    taxMinor: sum('taxMinor'),
    totalMinor: sum('totalMinor'),
    payments: [],
    refunds: [],
    refundedMinor: 0,
    disputes: [],
    issuedAt: at,
    dueAt: at,
    createdAt: at,
    intent: null,
    pendingPayment: null,
    effectsDueAt: null,
    step: null,
    stepAt: null,
  };
}

/** By item of the invoice; those without a share are left out. */
export function creditedLines(invoice: InvoiceRecord, refund: InvoiceRefund): Line[] {
  const before = creditedBefore(invoice, refund);
  const totals = sharesOf(invoice, refund, before);
  return invoice.items.flatMap((item, line) => {
    const total = totals[line] ?? 0;
    if (total === 0) return [];
    const credited = before[line] ?? 0;
    const taxMinor = taxUpTo(item, credited + total) - taxUpTo(item, credited);
    return [{ line, netMinor: total - taxMinor, taxMinor }];
  });
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
