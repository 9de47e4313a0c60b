import type { SubscriptionRecord } from '../domain/subscription.js';
import type { SubscriptionDeps } from './dependencies.js';

/** Longer than any request. */
const lostChangeMs = 10 * 60_000;

/** Posts due credits, drops changes without an invoice. */
export async function recoverChanges(deps: SubscriptionDeps, signal: AbortSignal): Promise<void> {
  const { subscriptions, invoices, clock, attempt } = deps;
  for (const subscription of await subscriptions.dueCredits(100)) {
    if (signal.aborted) return;
    await attempt('recover-changes', subscription.id, async () => payCreditDue(deps, subscription));
  }
  for (const { id, change } of await subscriptions.waitingChanges(new Date(clock().getTime() - lostChangeMs), 100)) {
    if (signal.aborted) return;
    await attempt('recover-changes', id, async () => {
      if (!change || (await invoices.get(change.invoiceId))) return;
      await subscriptions.changeIf(id, { changeInvoiceId: change.invoiceId }, { set: { change: null } });
    });
  }
}

/** Idempotent. */
export async function payCreditDue(deps: SubscriptionDeps, subscription: SubscriptionRecord): Promise<void> {
  const { creditDue } = subscription;
  if (!creditDue) return;
  const { id, amountMinor, note } = creditDue;
  await deps.credits.post({
    id,
    userId: subscription.userId,
    currency: subscription.plan.currency,
    amountMinor,
    reason: 'proration',
    note,
    reference: subscription.id,
    createdAt: deps.clock(),
  });
  await deps.subscriptions.changeIf(subscription.id, { creditDueId: id }, { set: { creditDue: null } });
}
