import type { SubscriptionDeps } from '../subscriptions/dependencies.js';
import { finishRefund } from './refund-invoice.js';

export async function recoverRefunds(deps: SubscriptionDeps, signal: AbortSignal): Promise<void> {
  for (const invoice of await deps.invoices.pendingRefunds(50)) {
    for (const refund of invoice.refunds) {
      if (signal.aborted) return;
      await deps.attempt('recover-refunds', invoice.id, async () => finishRefund(deps, invoice, refund));
    }
  }
}
