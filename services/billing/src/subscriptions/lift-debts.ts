import type { InvoiceRecord } from '../domain/invoice.js';
import type { SubscriptionDeps } from './dependencies.js';
import { subscriptionsPaidBy } from './paid-by.js';
import { liftSuspension, suspendSubscription } from './suspend-subscription.js';

/** What credits of the invoice have paid for waits until the debt is paid. Nothing without one. */
export async function suspendDebtor(deps: SubscriptionDeps, invoice: InvoiceRecord): Promise<void> {
  if ((await deps.credits.debts(invoice.userId)).length === 0) return;
  for (const subscription of await subscriptionsPaidBy(deps, invoice))
    await suspendSubscription(deps, subscription, 'debt');
}

/** Of customers who have paid. */
export async function liftDebts(deps: SubscriptionDeps, signal: AbortSignal): Promise<void> {
  for await (const { id, userId } of deps.subscriptions.suspendedFor('debt')) {
    if (signal.aborted) return;
    await deps.attempt('lift-debts', id, async () => {
      if ((await deps.credits.debts(userId)).length === 0) await liftSuspension(deps, id, 'debt');
    });
  }
}
