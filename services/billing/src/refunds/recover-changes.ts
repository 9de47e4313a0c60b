import { derivedId } from '@panel/rpc';
import { dropChange, type SubscriptionRecord } from '../domain/subscription.js';
import { refundRemaining } from './refund-invoice.js';
import type { SubscriptionDeps } from '../subscriptions/dependencies.js';

/** Longer than any request. */
const lostChangeMs = 10 * 60_000;

/** Credits what is due, drops changes without an invoice. */
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
      await subscriptions.changeIf(id, { changeInvoiceId: change.invoiceId }, dropChange(change));
    });
  }
}

/** Idempotent. No more than what remains of an invoice after other refunds. */
export async function payCreditDue(deps: SubscriptionDeps, subscription: SubscriptionRecord): Promise<void> {
  const { creditDue } = subscription;
  if (!creditDue) return;
  const { id, refunds, reason } = creditDue;
  for (const { invoiceId, line, amountMinor } of refunds) {
    const input = { amountMinor, destination: 'credits', line, reason, cancelSubscriptions: false } as const;
    await refundRemaining(deps, invoiceId, input, derivedId(id, `${invoiceId} ${line}`));
  }
  await deps.subscriptions.changeIf(subscription.id, { creditDueId: id }, { set: { creditDue: null } });
}
