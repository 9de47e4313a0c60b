import { assertNever } from '@panel/kit/errors';
import type { BankTransfer } from '../domain/bank-transfer.js';
import { dayIn } from '../domain/calendar.js';
import { formatAmount, formatMoney } from '../domain/currency.js';
import type { InvoiceSeller } from '../domain/profile.js';
import type { TaxLine, TaxTreatment } from '../domain/tax.js';

/** Amounts in minor units of `currency`. */
export interface InvoiceView {
  readonly number: string;
  readonly issuedAt: Date;
  readonly dueAt: Date | null;
  /** IANA name, of all days. */
  readonly timezone: string;
  readonly seller: InvoiceSeller;
  readonly customer: InvoiceParty;
  readonly lines: readonly InvoiceLine[];
  readonly subtotal: number;
  readonly discount: number;
  /** By rate; empty: the seller charges no tax. */
  readonly taxes: readonly TaxLine[];
  /** Prices hold it already. */
  readonly taxInclusive: boolean;
  readonly treatment: TaxTreatment;
  /** Of `exempt`. */
  readonly taxReason: string;
  readonly total: number;
  readonly currency: string;
  readonly status: 'draft' | 'unpaid' | 'overdue' | 'paid' | 'void' | 'refunded';
  readonly payments: readonly InvoiceViewPayment[];
  /** Null: it is paid, or the shop has no account. */
  readonly transfer: BankTransfer | null;
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
  readonly period: ServicePeriod | null;
  /** Hundredths of a percent. */
  readonly taxRate: number;
  readonly tax: number;
  readonly total: number;
}

/** Of a service: until before `end`, or as long from its payment on. */
export type ServicePeriod =
  | { readonly start: Date; readonly end: Date }
  | { readonly interval: 'day' | 'week' | 'month' | 'year'; readonly count: number };

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
  readonly taxColumns: readonly string[];
  /** By rate; none without tax. */
  readonly taxRows: readonly (readonly string[])[];
  readonly totals: readonly (readonly [label: string, value: string])[];
  /** What the law wants to be said about tax. */
  readonly notes: readonly string[];
  readonly payments: readonly string[];
  /** How to pay it; none when it is paid. */
  readonly transfer: readonly string[];
  /** Of a QR code beside it; null: none. */
  readonly transferCode: string | null;
}

const percent = (basisPoints: number): string => `${basisPoints / 100}%`;

/** Numbers follow `locale`; days are ISO 8601 in the seller's zone. */
export function describeInvoice(view: InvoiceView, locale = 'en'): InvoiceText {
  const isCreditNote = view.creditedInvoiceNumber !== undefined;
  const money = (amount: number): string => formatMoney(amount, view.currency, locale);
  return {
    title: `${isCreditNote ? 'Credit note' : 'Invoice'} ${view.number || '(draft)'}`,
    facts: factsOf(view),
    seller: sellerLines(view.seller),
    customer: customerLines(view.customer),
    columns: ['Description', 'Qty', 'Unit price', 'Discount', 'Tax', `Total (${view.currency})`],
    rows: view.lines.map((line) => rowOf(line, view, locale)),
    totals: [
      ['Subtotal', money(view.subtotal)],
      ...(view.discount === 0 ? [] : [['Discount', money(-view.discount)] as const]),
      ...view.taxes.map(
        ({ basisPoints, taxMinor }) =>
          [`${view.taxInclusive ? 'Included tax' : 'Tax'} ${percent(basisPoints)}`, money(taxMinor)] as const,
      ),
      ['Total', money(view.total)],
    ],
    taxColumns: ['Tax rate', 'Net', 'Tax', 'Gross'],
    taxRows: view.taxes.map((line) => taxRowOf(line, view.currency, locale)),
    notes: notesOf(view),
    payments: view.payments.map(
      ({ at, method, reference, amount }) => `${dayIn(at, view.timezone)}  ${method}  ${reference}  ${money(amount)}`,
    ),
    transfer: transferLines(view, locale),
    transferCode: view.transfer?.code ?? null,
  };
}

function factsOf(view: InvoiceView): (readonly [string, string])[] {
  return [
    ['Date', dayIn(view.issuedAt, view.timezone)],
    ...(view.dueAt === null ? [] : [['Due', dayIn(view.dueAt, view.timezone)] as const]),
    ['Status', view.status],
    ...(view.creditedInvoiceNumber === undefined ? [] : [['Corrects invoice', view.creditedInvoiceNumber] as const]),
  ];
}

function customerLines(customer: InvoiceParty): string[] {
  const { company, name, address, country, email, vatNumber } = customer;
  return nonEmpty([company, name, ...address.split('\n'), country, email, vatLine(vatNumber)]);
}

function rowOf(line: InvoiceLine, { currency, timezone }: InvoiceView, locale: string): string[] {
  const amount = (value: number): string => formatAmount(value, currency, locale);
  return [
    line.period ? `${line.description}\n${describePeriod(line.period, timezone)}` : line.description,
    String(line.quantity),
    amount(line.unitPrice),
    line.discount === 0 ? '' : amount(-line.discount),
    `${percent(line.taxRate)} ${amount(line.tax)}`,
    amount(line.total),
  ];
}

function taxRowOf(line: TaxLine, currency: string, locale: string): string[] {
  const amounts = [line.netMinor, line.taxMinor, line.totalMinor];
  return [percent(line.basisPoints), ...amounts.map((amount) => formatAmount(amount, currency, locale))];
}

/** The last day is the one before the end. */
function describePeriod(period: ServicePeriod, timezone: string): string {
  if ('interval' in period) {
    const { interval, count } = period;
    return `Service period: ${count} ${interval}${count === 1 ? '' : 's'} from payment`;
  }
  const last = new Date(Math.max(period.start.getTime(), period.end.getTime() - 1));
  return `Service period: ${dayIn(period.start, timezone)} to ${dayIn(last, timezone)}`;
}

function transferLines({ transfer, timezone }: InvoiceView, locale: string): string[] {
  if (!transfer) return [];
  const { account, amount, reference, dueAt } = transfer;
  const { holder, iban, bic, instructions } = account;
  return [
    `Please transfer ${formatMoney(amount.amountMinor, amount.currency, locale)} until ${dayIn(dueAt, timezone)}.`,
    `Account holder: ${holder}`,
    ...(iban === '' ? [] : [`IBAN: ${iban.replace(/(.{4})(?=.)/g, '$1 ')}`]),
    ...(bic === '' ? [] : [`BIC: ${bic}`]),
    `Reference: ${reference}`,
    ...nonEmpty([instructions]),
  ];
}

function notesOf({ treatment, taxReason }: InvoiceView): string[] {
  switch (treatment) {
    case 'reverse_charge':
      return ['Reverse charge: the recipient owes the VAT (Article 196 of Directive 2006/112/EC).'];
    case 'outside_scope':
      return ['Outside the scope of EU VAT: the service is supplied outside of the European Union.'];
    case 'exempt':
      return [`Exempt from tax: ${taxReason}`];
    case 'standard':
    case 'none':
      return [];
    default:
      return assertNever(treatment);
  }
}

function sellerLines({ name, address, vatNumber, otherVatNumbers }: InvoiceSeller): string[] {
  return nonEmpty([name, ...address.split('\n'), vatLine(vatNumber), vatLine(otherVatNumbers ?? '')]);
}

const vatLine = (vatNumber: string): string => (vatNumber === '' ? '' : `VAT ${vatNumber}`);

const nonEmpty = (lines: readonly string[]): string[] => lines.filter((line) => line.trim() !== '');
