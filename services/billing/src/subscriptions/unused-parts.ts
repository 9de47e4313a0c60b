import { currentPeriods, type UnusedPart, unusedPart } from '../domain/paid-period.js';
import type { SubscriptionRecord } from '../domain/subscription.js';
import type { InvoiceStore } from '../models/invoice.js';

/** The remaining parts of the payments for a service's time, in the order of payment. */
export async function unusedParts(
  { invoices }: { readonly invoices: Pick<InvoiceStore, 'getMany'> },
  subscription: SubscriptionRecord,
  at: Date,
): Promise<UnusedPart[]> {
  const periods = currentPeriods(subscription, at);
  const found = await invoices.getMany(periods.map(({ invoiceId }) => invoiceId));
  const byId = new Map(found.map((invoice) => [invoice.id, invoice]));
  return periods.map((period) => unusedPart(period, byId.get(period.invoiceId), at));
}
