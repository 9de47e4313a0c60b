import { assertNever } from '@panel/kit/errors';
import type { InvoiceSeller } from '../domain/profile.js';
import type { TaxLine } from '../domain/tax.js';
import { documentTexts } from './languages.js';
import type { InvoiceLine, InvoiceParty, InvoiceView, InvoiceViewPayment, ServicePeriod } from './invoice-view.js';
import type { Direction } from './text-runs.js';
import type { DocumentTexts } from './texts/document-texts.js';
import { type ValueFormat, valueFormat } from './value-format.js';

/** Equal in all formats, without empty lines. */
export interface InvoiceText {
  /** Values keep their own. */
  readonly direction: Direction;
  readonly title: string;
  readonly facts: readonly (readonly [label: string, value: string])[];
  /** Above the parties. */
  readonly from: string;
  readonly to: string;
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
  readonly paymentsTitle: string;
  readonly payments: readonly string[];
  readonly transferTitle: string;
  /** How to pay it; none when it is paid. */
  readonly transfer: readonly string[];
  /** Of a QR code beside it; null: none. */
  readonly transferCode: string | null;
  readonly transferCodeLabel: string;
  readonly pageNumber: (page: number, count: number) => string;
}

/** Numbers follow the language; days are ISO 8601 in the seller's zone. */
export function describeInvoice(view: InvoiceView): InvoiceText {
  const texts = documentTexts[view.language];
  const format = valueFormat(view.language, view.currency, view.timezone);
  return {
    direction: format.direction,
    title: `${titleOf(view, texts)} ${format.value(view.number || texts.draft)}`,
    facts: factsOf(view, texts, format),
    from: texts.from,
    to: texts.to,
    seller: sellerLines(view.seller, texts, format),
    customer: customerLines(view.customer, texts, format),
    columns: [
      texts.description,
      texts.quantity,
      texts.unitPrice,
      texts.discount,
      texts.tax,
      `${texts.total} (${view.currency})`,
    ],
    rows: view.lines.map((line) => rowOf(line, texts, format)),
    totals: totalsOf(view, texts, format),
    taxColumns: [texts.taxRate, texts.net, texts.tax, texts.gross],
    taxRows: view.taxes.map((line) => taxRowOf(line, format)),
    notes: notesOf(view, texts, format),
    paymentsTitle: texts.payments,
    payments: view.payments.map((payment) => paymentLine(payment, texts, format)),
    transferTitle: texts.payment,
    transfer: transferLines(view, texts, format),
    transferCode: view.transfer?.code ?? null,
    transferCodeLabel: texts.bankingCode,
    pageNumber: texts.page,
  };
}

function titleOf({ creditedInvoiceNumber, status }: InvoiceView, texts: DocumentTexts): string {
  if (creditedInvoiceNumber === undefined) return texts.invoice;
  return status === 'void' ? texts.cancellation : texts.creditNote;
}

function factsOf(view: InvoiceView, texts: DocumentTexts, { day }: ValueFormat): (readonly [string, string])[] {
  return [
    [texts.date, day(view.issuedAt)],
    ...(view.dueAt === null ? [] : [[texts.due, day(view.dueAt)] as const]),
    [texts.status, texts.statuses[view.status]],
    ...(view.creditedInvoiceNumber === undefined ? [] : [[texts.correctsInvoice, view.creditedInvoiceNumber] as const]),
  ];
}

function customerLines(customer: InvoiceParty, texts: DocumentTexts, format: ValueFormat): string[] {
  const { company, name, address, country, email, vatNumber } = customer;
  return nonEmpty([company, name, ...address.split('\n'), country, email, vatLine(vatNumber, texts, format)]);
}

function totalsOf(view: InvoiceView, texts: DocumentTexts, { money, percent }: ValueFormat): [string, string][] {
  const tax = view.taxInclusive ? texts.includedTax : texts.tax;
  return [
    [texts.subtotal, money(view.subtotal)],
    ...(view.discount === 0 ? [] : [[texts.discount, money(-view.discount)] satisfies [string, string]]),
    ...view.taxes.map(({ basisPoints, taxMinor }): [string, string] => [
      `${tax} ${percent(basisPoints)}`,
      money(taxMinor),
    ]),
    [texts.total, money(view.total)],
  ];
}

function rowOf(line: InvoiceLine, texts: DocumentTexts, format: ValueFormat): string[] {
  const { amount, count, percent } = format;
  const description =
    line.setupFee === 0 ? line.description : texts.withSetupFee(format.value(line.description), amount(line.setupFee));
  return [
    line.period ? `${description}\n${describePeriod(line.period, texts, format)}` : description,
    count(line.quantity),
    amount(line.unitPrice),
    line.discount === 0 ? '' : amount(-line.discount),
    `${percent(line.taxRate)} ${amount(line.tax)}`,
    amount(line.total),
  ];
}

function taxRowOf({ basisPoints, netMinor, taxMinor, totalMinor }: TaxLine, format: ValueFormat): string[] {
  return [format.percent(basisPoints), ...[netMinor, taxMinor, totalMinor].map((minor) => format.amount(minor))];
}

/** The last day is the one before the end. */
function describePeriod(period: ServicePeriod, texts: DocumentTexts, { day, duration }: ValueFormat): string {
  if ('interval' in period) return texts.periodFromPayment(duration(period.count, period.interval));
  const last = new Date(Math.max(period.start.getTime(), period.end.getTime() - 1));
  return texts.periodOfDays(day(period.start), day(last));
}

function paymentLine(payment: InvoiceViewPayment, texts: DocumentTexts, { day, money, value }: ValueFormat): string {
  const { at, method, reference, amount } = payment;
  const methods: Readonly<Record<string, string>> = texts.methods;
  const name = Object.hasOwn(methods, method) ? methods[method] : undefined;
  return `${day(at)}  ${name ?? value(method)}  ${value(reference)}  ${money(amount)}`;
}

function transferLines({ transfer }: InvoiceView, texts: DocumentTexts, format: ValueFormat): string[] {
  if (!transfer) return [];
  const { account, amount, reference, dueAt } = transfer;
  const { holder, iban, bic, instructions } = account;
  const { day, money, value } = format;
  return [
    texts.pleaseTransfer(money(amount.amountMinor), day(dueAt)),
    texts.accountHolder(value(holder)),
    ...(iban === '' ? [] : [texts.iban(value(iban.replace(/(.{4})(?=.)/g, '$1 ')))]),
    ...(bic === '' ? [] : [texts.bic(value(bic))]),
    texts.reference(value(reference)),
    ...nonEmpty([instructions]),
  ];
}

function notesOf({ treatment, taxReason }: InvoiceView, texts: DocumentTexts, { value }: ValueFormat): string[] {
  switch (treatment) {
    case 'reverse_charge':
      return [texts.reverseCharge];
    case 'outside_scope':
      return [texts.outsideScope];
    case 'exempt':
      return [texts.exempt(value(taxReason))];
    case 'standard':
    case 'none':
      return [];
    default:
      return assertNever(treatment);
  }
}

function sellerLines(seller: InvoiceSeller, texts: DocumentTexts, format: ValueFormat): string[] {
  const { name, address, postcode = '', city = '', vatNumber, otherVatNumbers = '', taxNumber = '' } = seller;
  // Addresses from before have the city.
  const place = address.includes(city) ? '' : `${postcode} ${city}`.trim();
  const numbers = [vatNumber, otherVatNumbers].map((number) => vatLine(number, texts, format));
  const ofOffice = vatNumber === '' && taxNumber !== '' ? texts.taxNumber(format.value(taxNumber)) : '';
  return nonEmpty([name, ...address.split('\n'), place, ...numbers, ofOffice]);
}

function vatLine(vatNumber: string, texts: DocumentTexts, { value }: ValueFormat): string {
  return vatNumber === '' ? '' : texts.vatNumber(value(vatNumber));
}

const nonEmpty = (lines: readonly string[]): string[] => lines.filter((line) => line.trim() !== '');
