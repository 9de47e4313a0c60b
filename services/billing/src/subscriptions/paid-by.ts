import { orderIds } from '../domain/order-ids.js';
import type { InvoiceRecord } from '../domain/invoice.js';
import { isPaidBy, type SubscriptionRecord } from '../domain/subscription.js';
import type { SubscriptionDeps } from './dependencies.js';

type PaidByDeps = Pick<SubscriptionDeps, 'subscriptions' | 'invoices' | 'credits' | 'clock'>;

/** Those whose time from now on was paid by the invoice, or by credits that came of it. */
export async function subscriptionsPaidBy(deps: PaidByDeps, invoice: InvoiceRecord): Promise<SubscriptionRecord[]> {
  const spent = [...(await deps.credits.spentOf(invoice.id, invoice.userId, invoice.currency))];
  // Checkouts spend for their order, everything else for its invoice.
  const others = await deps.invoices.getMany(spent.flatMap((id) => [id, orderIds.invoice(id)]));
  const found: SubscriptionRecord[] = [];
  for (const one of [invoice, ...others]) {
    const bought = await deps.subscriptions.getMany([...(await subscriptionIdsOf(deps, one))]);
    found.push(...bought.filter((subscription) => isPaidBy(subscription, one.id, deps.clock())));
  }
  return found;
}

export async function subscriptionIdsOf(
  { subscriptions }: Pick<PaidByDeps, 'subscriptions'>,
  invoice: InvoiceRecord,
): Promise<ReadonlySet<string>> {
  const ids = new Set(invoice.items.map(({ subscriptionId }) => subscriptionId).filter((id) => id !== ''));
  const bought = invoice.orderId === '' ? [] : await subscriptions.ofOrder(invoice.orderId);
  for (const { id } of bought) ids.add(id);
  return ids;
}
