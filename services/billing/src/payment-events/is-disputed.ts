import type { InvoiceRecord } from '../domain/invoice.js';
import { isPaidBy, type SubscriptionRecord } from '../domain/subscription.js';
import { orderIds } from '../domain/order-ids.js';
import type { PaymentEventDeps } from './dependencies.js';

/** A dispute is open about what its time from now on was paid with. */
export async function isDisputed(deps: PaymentEventDeps, subscription: SubscriptionRecord): Promise<boolean> {
  const { paid = [], orderId } = subscription;
  const ids = [...paid.map(({ invoiceId }) => invoiceId), orderIds.invoice(orderId)];
  const found = await deps.invoices.getMany([...new Set(ids)]);
  const payers = found.filter(({ id }) => isPaidBy(subscription, id, deps.clock()));
  const sources = await deps.invoices.getMany(await creditSources(deps, payers));
  return [...payers, ...sources].some(({ disputes }) => disputes.some(({ outcome }) => outcome === 'open'));
}

/** Ids of the invoices that the credits came of. */
async function creditSources({ credits }: PaymentEventDeps, payers: readonly InvoiceRecord[]): Promise<string[]> {
  const payments = payers.flatMap(({ userId, currency, payments: of }) =>
    of.filter(({ method }) => method === 'credits').map(async ({ id }) => credits.find(id, userId, currency)),
  );
  const entries = await Promise.all(payments);
  const references = entries.flatMap((entry) => (entry?.lots ?? []).map(({ reference }) => reference));
  return [...new Set(references.filter((reference) => reference !== ''))];
}
