import { type EndCause, mailEntry } from '../domain/mail.js';
import { isEnded, type SubscriptionRecord, type SubscriptionStatus, unitsOfChange } from '../domain/subscription.js';
import type { SubscriptionDeps } from './dependencies.js';
import { voidInvoice } from '../invoicing/void-invoice.js';
import { orderIds } from '../domain/order-ids.js';
import { fail } from '../reasons.js';

const maxTries = 20;
const running: readonly SubscriptionStatus[] = ['provisioning', 'active', 'suspended', 'failed'];

/**
 * Deletes the server, voids open invoices; before the first payment, cancels the order. Idempotent; null: not found.
 * Throws INVOICE_NOT_PAYABLE if that payment just arrived.
 */
export async function endSubscription(
  deps: SubscriptionDeps,
  subscriptionId: string,
  status: 'cancelled' | 'terminated',
  cause?: EndCause,
): Promise<SubscriptionRecord | null> {
  const { subscriptions, invoices } = deps;
  const subscription = await endRunning(deps, subscriptionId, status, cause);
  if (subscription?.status === 'pending') {
    await voidInvoice(deps, orderIds.invoice(subscription.orderId));
    return subscriptions.get(subscriptionId);
  }
  if (!subscription || !isEnded(subscription.status)) return subscription;
  for (const invoice of await invoices.openOfSubscription(subscriptionId)) {
    // Shared invoices stay open for the others.
    const isOnlyThis = invoice.items.every((item) => item.subscriptionId === subscriptionId && item.quantity === 1);
    if (isOnlyThis) await voidInvoice(deps, invoice.id);
  }
  deps.runJob('sync-servers');
  return subscription;
}

/** With its unit, and the one that a waiting change has taken. */
async function endRunning(
  { subscriptions, clock }: SubscriptionDeps,
  subscriptionId: string,
  status: 'cancelled' | 'terminated',
  endCause: EndCause | undefined,
): Promise<SubscriptionRecord | null> {
  const at = clock();
  for (let tries = 0; tries < maxTries; tries += 1) {
    const subscription = await subscriptions.get(subscriptionId);
    if (!subscription || !running.includes(subscription.status)) return subscription;
    const { change, unit } = subscription;
    const ended = await subscriptions.changeIf(
      subscriptionId,
      { status: running, changeInvoiceId: change?.invoiceId ?? null, unitId: unit.id },
      {
        set: { status, endedAt: at, renewAt: null, change: null, suspendReasons: [] },
        returnUnits: [unit, ...unitsOfChange(change)],
        syncAt: at,
        mail: mailEntry(subscriptionId, 'subscription_ended', at, '', endCause ? { endCause } : {}),
      },
    );
    if (ended) return ended;
  }
  throw fail('SERVICE_CHANGED', 'the service changes too fast to be ended');
}
