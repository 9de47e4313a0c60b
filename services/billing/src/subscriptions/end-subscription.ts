import { mailEntry } from '../domain/mail.js';
import { isEnded, type SubscriptionRecord, type SubscriptionStatus } from '../domain/subscription.js';
import type { SubscriptionDeps } from './dependencies.js';
import { paidMinor } from '../domain/invoice.js';
import { voidInvoice } from '../invoicing/void-invoice.js';
import { orderIds } from '../domain/order-ids.js';

const running: readonly SubscriptionStatus[] = ['provisioning', 'active', 'suspended', 'failed'];

/**
 * Deletes the server, voids open invoices; before the first payment, cancels the order. Idempotent; null: not found.
 * Throws INVOICE_NOT_PAYABLE if that payment just arrived.
 */
export async function endSubscription(
  deps: SubscriptionDeps,
  subscriptionId: string,
  status: 'cancelled' | 'terminated',
): Promise<SubscriptionRecord | null> {
  const { subscriptions, invoices, clock } = deps;
  const at = clock();
  const ended = await subscriptions.changeIf(
    subscriptionId,
    { status: running },
    {
      set: { status, endedAt: at, renewAt: null, change: null, suspendReason: null, returnDue: true },
      syncAt: at,
      mail: mailEntry(subscriptionId, 'subscription_ended', at),
    },
  );
  const subscription = ended ?? (await subscriptions.get(subscriptionId));
  if (subscription?.status === 'pending') {
    await voidInvoice(deps, orderIds.invoice(subscription.orderId));
    return subscriptions.get(subscriptionId);
  }
  if (!subscription || !isEnded(subscription.status)) return subscription;
  for (const invoice of await invoices.openOfSubscription(subscriptionId)) {
    // Shared invoices stay open for the others.
    const isOnlyThis = invoice.items.every((item) => item.subscriptionId === subscriptionId && item.quantity === 1);
    if (isOnlyThis && paidMinor(invoice) === 0) await voidInvoice(deps, invoice.id);
  }
  deps.runJob('sync-servers');
  return subscription;
}
