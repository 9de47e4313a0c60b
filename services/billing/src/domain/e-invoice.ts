import { assertNever } from '@panel/kit/errors';
import type { BankAccount } from './bank-account.js';
import { dayIn } from './calendar.js';
import { currencyDigits } from './currency.js';
import { buyerOf, type EInvoiceBuyer, type EInvoiceSeller, sellerOf, type VatCategory } from './e-invoice-parties.js';
import { type DayPeriod, type EInvoiceLine, lineOf, type Sign, signed } from './e-invoice-lines.js';
import { type PaymentMeans, paymentMeansOf } from './e-invoice-payment.js';
import { type Invoice, isPayable, paidMinor } from './invoice.js';
import { scaleHalfUp } from './money.js';

/** EN 16931. Amounts in minor units; those of a credit note are what it gives back. */
export interface EInvoice {
  readonly profile: 'en16931' | 'xrechnung';
  readonly kind: Invoice['kind'];
  readonly number: string;
  /** Empty unless a credit note. */
  readonly correctedNumber: string;
  /** Days are ISO 8601 in the seller's zone. */
  readonly issuedOn: string;
  readonly dueOn: string;
  readonly currency: string;
  readonly seller: EInvoiceSeller;
  readonly buyer: EInvoiceBuyer;
  readonly lines: readonly EInvoiceLine[];
  /** Of all lines with one; null: supplied on the day of issue. */
  readonly period: DayPeriod | null;
  readonly payment: PaymentMeans;
  readonly category: VatCategory;
  /** Hundredths of a percent. */
  readonly rateBasisPoints: number;
  readonly exemptReason: string;
  readonly net: number;
  readonly tax: number;
  readonly gross: number;
  readonly prepaid: number;
  /** Between gross and what is booked. */
  readonly rounding: number;
  readonly due: number;
}

interface EInvoiceContext {
  /** Empty unless a credit note. */
  readonly creditedInvoiceNumber: string;
  readonly account: BankAccount | null;
}

/** Of amounts. */
const maxDigits = 2;

/** Null: not issued, void, of a seller whose data were incomplete, or of a currency with mills. */
export function eInvoiceOf(invoice: Invoice, { creditedInvoiceNumber, account }: EInvoiceContext): EInvoice | null {
  const { number, kind, status, currency, items, timezone = 'UTC', taxRateBasisPoints } = invoice;
  const category = categoryOf(invoice);
  const seller = sellerOf(invoice.seller, category);
  const isVoid = status === 'void' && kind === 'invoice';
  const isIssued = number !== '' && !isVoid && status !== 'draft';
  if (!isIssued || !seller || items.length === 0 || currencyDigits(currency) > maxDigits) return null;
  const sign = kind === 'credit_note' ? -1 : 1;
  const lines = items.map((item) => lineOf(item, invoice, sign));
  const buyer = buyerOf(invoice, category, seller.country);
  return {
    profile: isForXRechnung(seller, buyer) ? 'xrechnung' : 'en16931',
    kind,
    number,
    correctedNumber: creditedInvoiceNumber,
    issuedOn: dayIn(invoice.issuedAt, timezone),
    dueOn: dayIn(invoice.dueAt, timezone),
    currency,
    seller,
    buyer,
    lines,
    period: periodOf(lines),
    payment: paymentMeansOf(invoice, account),
    category,
    rateBasisPoints: taxRateBasisPoints,
    exemptReason: invoice.tax?.reason ?? '',
    ...sumsOf(invoice, lines, sign),
  };
}

function categoryOf({ tax, taxRateBasisPoints }: Invoice): VatCategory {
  if (taxRateBasisPoints > 0) return 'S';
  const treatment = tax?.treatment ?? 'standard';
  switch (treatment) {
    case 'reverse_charge':
      return 'AE';
    case 'exempt':
      return 'E';
    case 'none':
    case 'outside_scope':
      return 'O';
    case 'standard':
      return 'Z';
    default:
      return assertNever(treatment);
  }
}

/** What it requires beyond EN 16931. */
function isForXRechnung(seller: EInvoiceSeller, buyer: EInvoiceBuyer): boolean {
  const { contact, phone, email } = seller;
  return [contact, phone, email, buyer.reference, buyer.postcode, buyer.city, buyer.email].every((text) => text !== '');
}

/**
 * The tax is what is booked and printed: a sum of taxes of lines, each rounded. It may be off its product with the rate by
 * less than a whole unit of the currency, as the rules of EN 16931 allow (BR-CO-17); beyond that the product is stated,
 * and the rounding amount leads to what is booked.
 */
function sumsOf(
  invoice: Invoice,
  lines: readonly EInvoiceLine[],
  sign: Sign,
): Pick<EInvoice, 'net' | 'tax' | 'gross' | 'prepaid' | 'rounding' | 'due'> {
  const net = lines.reduce((sum, line) => sum + line.net, 0);
  const booked = signed(invoice.taxMinor, sign);
  const product = scaleHalfUp(net, invoice.taxRateBasisPoints, 10_000);
  // Without decimals a unit is what is rounded to: no tolerance.
  const tolerance = currencyDigits(invoice.currency) === 0 ? 0 : 10 ** currencyDigits(invoice.currency) - 1;
  const tax = Math.abs(booked - product) <= tolerance ? booked : product;
  const total = signed(invoice.totalMinor, sign);
  const due = isPayable(invoice) ? total - paidMinor(invoice) : 0;
  const gross = net + tax;
  return { net, tax, gross, prepaid: total - due, rounding: total - gross, due };
}

function periodOf(lines: readonly EInvoiceLine[]): DayPeriod | null {
  const periods = lines.flatMap(({ period }) => (period ? [period] : []));
  const [first] = periods.map((period) => period.first).toSorted();
  const last = periods
    .map((period) => period.last)
    .toSorted()
    .at(-1);
  return first !== undefined && last !== undefined ? { first, last } : null;
}
