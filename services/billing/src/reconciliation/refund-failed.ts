import { derivedId } from '@panel/rpc';
import type { Finding } from '../domain/discrepancy.js';
import type { InvoiceRecord } from '../domain/invoice.js';
import { shareOfUnit } from '../domain/money.js';
import { orderIds } from '../domain/order-ids.js';
import type { SubscriptionRecord } from '../domain/subscription.js';
import { refundRemaining } from '../refunds/refund-invoice.js';
import { endSubscription } from '../subscriptions/end-subscription.js';
import type { ReconciliationDeps } from './dependencies.js';

/** Time for an operator to repair what its server lacks. */
const graceMs = 24 * 60 * 60_000;

/** Gives the money back to where it came from, and ends the subscription. Null: not yet. Idempotent. */
export async function refundFailed(
  deps: ReconciliationDeps,
  subscription: SubscriptionRecord,
): Promise<Omit<Finding, 'reference'> | null> {
  const { id, orderId, anchorAt } = subscription;
  if (!anchorAt || deps.clock().getTime() - anchorAt.getTime() < graceMs) return null;
  const invoice = await deps.invoices.get(orderIds.invoice(orderId));
  const paid = invoice && unitOf(invoice, id);
  if (invoice && paid) {
    const reason = `${subscription.productName} could not be provided`;
    const terms = { destination: 'original', cancelSubscriptions: false, reason, ...paid } as const;
    await refundRemaining(deps, invoice.id, terms, derivedId(id, 'not provisioned'));
  }
  await endSubscription(deps, id, 'terminated');
  const detail = 'its server could not be created within a day: it has ended, and is refunded';
  return { kind: 'paid_not_running', detail, repaired: true };
}

/** What the invoice of its order says of one unit, with set-up fee and tax. */
function unitOf({ items, orderId }: InvoiceRecord, subscriptionId: string) {
  for (const [line, { quantity, totalMinor }] of items.entries()) {
    const unit = orderIds.subscriptions(orderId, line, quantity).indexOf(subscriptionId);
    if (unit !== -1) return { line, amountMinor: shareOfUnit(totalMinor, quantity, unit) };
  }
  return null;
}
