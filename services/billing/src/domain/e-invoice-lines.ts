import { dayIn } from './calendar.js';
import type { Invoice, InvoiceItem } from './invoice.js';
import { withTax } from './tax.js';

/** Last day included, ISO 8601. */
export interface DayPeriod {
  readonly first: string;
  readonly last: string;
}

/** Net amounts in minor units: `price * quantity / basis + setupFee - discount` is exactly `net`. */
export interface EInvoiceLine {
  readonly name: string;
  /** Negative where the price would be. */
  readonly quantity: number;
  /** Of `basis` units. */
  readonly price: number;
  readonly basis: number;
  readonly setupFee: number;
  readonly discount: number;
  readonly net: number;
  readonly period: DayPeriod | null;
}

/** -1 turns a credit note into what it gives back. */
export type Sign = 1 | -1;

export function signed(minor: number, sign: Sign): number {
  // Never -0.
  return sign === 1 ? minor : 0 - minor;
}

type LineFacts = Pick<Invoice, 'taxRateBasisPoints' | 'taxInclusive' | 'timezone'>;

/** `net` is the booked one. Of prices with tax, the price takes what is lost by rounding fee and discount. */
export function lineOf(
  item: InvoiceItem,
  { taxRateBasisPoints, taxInclusive, timezone }: LineFacts,
  sign: Sign,
): EInvoiceLine {
  const rate = { basisPoints: taxRateBasisPoints, isInclusive: taxInclusive };
  const net = signed(item.netMinor, sign);
  const discount = withTax(item.discountMinor, rate).netMinor;
  const fee = withTax(item.quantity * item.setupFeeMinor, rate).netMinor;
  const rest = net + discount - fee;
  // A free unit costs nothing: its fee takes what is lost by rounding.
  const prices = item.setupFeeMinor > 0 && item.unitPriceMinor === 0 ? 0 : rest;
  return {
    name: item.description || item.productName,
    ...priceOf(prices, item.quantity),
    setupFee: net + discount - prices,
    discount,
    net,
    period: periodOf(item, timezone ?? 'UTC'),
  };
}

/** Exact: of one unit where that is a whole number, else of all. */
function priceOf(prices: number, quantity: number): Pick<EInvoiceLine, 'quantity' | 'price' | 'basis'> {
  const price = Math.abs(prices);
  const isOfOne = price % quantity === 0;
  return {
    quantity: prices < 0 ? -quantity : quantity,
    price: isOfOne ? price / quantity : price,
    basis: isOfOne ? 1 : quantity,
  };
}

function periodOf({ periodStart, periodEnd }: InvoiceItem, timezone: string): DayPeriod | null {
  if (!periodStart || !periodEnd) return null;
  const last = new Date(Math.max(periodStart.getTime(), periodEnd.getTime() - 1));
  return { first: dayIn(periodStart, timezone), last: dayIn(last, timezone) };
}
