import type { InvoiceRecord, InvoiceRefund } from '../../src/domain/invoice.js';
import { prepareInvoice } from '../../src/domain/prepare-invoice.js';
import { taxFor, withTax } from '../../src/domain/tax.js';
import { testSettings } from '../fakes.js';

export const at = new Date('2026-03-01T12:00:00Z');
const profile = { userId: 'u', name: '', company: '', address: '', country: '', vatNumber: '' };

/** An item a price. */
export function invoiceOf(prices: readonly number[], basisPoints: number, taxInclusive: boolean): InvoiceRecord {
  const settings = { ...testSettings, taxRateBasisPoints: basisPoints, taxInclusive };
  const tax = taxFor(profile, settings, at);
  const items = prices.map((price) => ({
    purpose: 'start' as const,
    description: 'x',
    subscriptionId: '',
    productId: 'p',
    productName: 'x',
    quantity: 1,
    unitPriceMinor: price,
    setupFeeMinor: 0,
    discountMinor: 0,
    ...withTax(price, tax),
    periodStart: null,
    periodEnd: null,
  }));
  const customer = { id: 'u', email: 'u@customer.test', name: 'U', language: 'de-AT' };
  const request = { id: 'i', userId: 'u', currency: 'EUR', at, dueAt: at, items, tax };
  return prepareInvoice(request, { settings, profile, customer });
}

export const refundOf = (id: string, amountMinor: number, line?: number): InvoiceRefund => ({
  id,
  amountMinor,
  destination: 'credits',
  ...(line === undefined ? {} : { line }),
  reason: '',
  cancelSubscriptions: false,
  state: 'pending',
  creditNoteId: `note ${id}`,
  error: '',
  origin: 'operator',
  reference: '',
  at,
});
