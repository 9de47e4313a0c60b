import { formatAmount, formatMoney } from '../domain/currency.js';

/** Amounts in minor units of `currency`. */
export interface InvoiceView {
  readonly number: string;
  readonly issuedAt: Date;
  readonly dueAt: Date | null;
  readonly seller: { readonly name: string; readonly address: string; readonly vatNumber: string };
  readonly customer: InvoiceParty;
  readonly lines: readonly InvoiceLine[];
  readonly subtotal: number;
  readonly discount: number;
  readonly tax: number;
  readonly total: number;
  readonly currency: string;
  readonly status: 'draft' | 'unpaid' | 'overdue' | 'paid' | 'void' | 'refunded';
  readonly payments: readonly InvoiceViewPayment[];
  /** Credit notes only. */
  readonly creditedInvoiceNumber?: string | undefined;
}

interface InvoiceParty {
  readonly name: string;
  readonly email: string;
  readonly company: string;
  /** Lines end with a line feed. */
  readonly address: string;
  /** ISO 3166-1 alpha-2; empty: unknown. */
  readonly country: string;
  readonly vatNumber: string;
}

export interface InvoiceLine {
  readonly description: string;
  readonly quantity: number;
  readonly unitPrice: number;
  readonly discount: number;
  /** Hundredths of a percent. */
  readonly taxRate: number;
  readonly tax: number;
  readonly total: number;
}

interface InvoiceViewPayment {
  readonly method: string;
  readonly reference: string;
  /** Negative: a refund. */
  readonly amount: number;
  readonly at: Date;
}

/** Equal in all formats, without empty lines. */
export interface InvoiceText {
  readonly title: string;
  readonly facts: readonly (readonly [label: string, value: string])[];
  readonly seller: readonly string[];
  readonly customer: readonly string[];
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly totals: readonly (readonly [label: string, value: string])[];
  readonly payments: readonly string[];
}

const day = (date: Date): string => date.toISOString().slice(0, 10);
const percent = (basisPoints: number): string => `${basisPoints / 100}%`;

/** Numbers follow `locale`; dates are ISO 8601 in UTC. */
export function describeInvoice(view: InvoiceView, locale = 'en'): InvoiceText {
  const isCreditNote = view.creditedInvoiceNumber !== undefined;
  const money = (amount: number): string => formatMoney(amount, view.currency, locale);
  return {
    title: `${isCreditNote ? 'Credit note' : 'Invoice'} ${view.number || '(draft)'}`,
    facts: factsOf(view),
    seller: nonEmpty([view.seller.name, ...view.seller.address.split('\n'), vatLine(view.seller.vatNumber)]),
    customer: customerLines(view.customer),
    columns: ['Description', 'Qty', 'Unit price', 'Discount', 'Tax', `Total (${view.currency})`],
    rows: view.lines.map((line) => rowOf(line, view.currency, locale)),
    totals: [
      ['Subtotal', money(view.subtotal)],
      ...(view.discount === 0 ? [] : [['Discount', money(-view.discount)] as const]),
      ['Tax', money(view.tax)],
      ['Total', money(view.total)],
    ],
    payments: view.payments.map(
      ({ at, method, reference, amount }) => `${day(at)}  ${method}  ${reference}  ${money(amount)}`,
    ),
  };
}

function factsOf(view: InvoiceView): (readonly [string, string])[] {
  return [
    ['Date', day(view.issuedAt)],
    ...(view.dueAt === null ? [] : [['Due', day(view.dueAt)] as const]),
    ['Status', view.status],
    ...(view.creditedInvoiceNumber === undefined ? [] : [['Corrects invoice', view.creditedInvoiceNumber] as const]),
  ];
}

function customerLines(customer: InvoiceParty): string[] {
  const { company, name, address, country, email, vatNumber } = customer;
  return nonEmpty([company, name, ...address.split('\n'), country, email, vatLine(vatNumber)]);
}

function rowOf(line: InvoiceLine, currency: string, locale: string): string[] {
  const amount = (value: number): string => formatAmount(value, currency, locale);
  return [
    line.description,
    String(line.quantity),
    amount(line.unitPrice),
    line.discount === 0 ? '' : amount(-line.discount),
    `${percent(line.taxRate)} ${amount(line.tax)}`,
    amount(line.total),
  ];
}

const vatLine = (vatNumber: string): string => (vatNumber === '' ? '' : `VAT ${vatNumber}`);

const nonEmpty = (lines: readonly string[]): string[] => lines.filter((line) => line.trim() !== '');
