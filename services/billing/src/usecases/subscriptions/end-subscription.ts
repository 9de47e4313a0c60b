import type { BillingContext } from '../../context.js';
import { isEnded, type SubscriptionStatus } from '../../domain/subscription.js';
import { paidMinor } from '../../domain/invoice.js';
import type { SubscriptionRecord } from '../../models/subscription.js';
import { voidInvoice } from '../invoices/void-invoice.js';
import { mailEntry } from '../mail/mail-entry.js';
import { counterKey } from '../orders/new-order.js';
import { orderIds } from '../orders/order-ids.js';

const running: readonly SubscriptionStatus[] = ['provisioning', 'active', 'suspended', 'failed'];

/**
 * End a subscription at once: its server goes, open invoices about it become void. One that waits for its first payment goes
 * with its order. Idempotent; null when there is none. Throws INVOICE_NOT_PAYABLE when that payment has just come.
 */
export async function endSubscription(
  context: BillingContext,
  subscriptionId: string,
  status: 'cancelled' | 'terminated',
): Promise<SubscriptionRecord | null> {
  const { subscriptions, invoices, clock } = context;
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
    await voidInvoice(context, orderIds.invoice(subscription.orderId));
    return subscriptions.get(subscriptionId);
  }
  if (!subscription || !isEnded(subscription.status)) return subscription;
  for (const invoice of await invoices.openOfSubscription(subscriptionId)) {
    // An invoice about several subscriptions stays open for the others.
    const isOnlyThis = invoice.items.every((item) => item.subscriptionId === subscriptionId && item.quantity === 1);
    if (isOnlyThis && paidMinor(invoice) === 0) await voidInvoice(context, invoice.id);
  }
  context.runJob('sync-servers');
  return subscription;
}

/** Give the units of ended subscriptions back to the stock and to the limit of their customer, once each. */
export async function returnUnits(context: BillingContext, signal: AbortSignal): Promise<void> {
  const { subscriptions, products, counters } = context;
  for (const { id, unitProductId, userId } of await subscriptions.dueReturns(100)) {
    if (signal.aborted) return;
    await context.attempt('return-units', id, async () => {
      await products.stock.returnUnits(unitProductId, id, 1);
      await counters.returnUnits(counterKey.product(unitProductId, userId), id, 1);
      await subscriptions.changeIf(id, {}, { set: { returnDue: false } });
    });
  }
}
