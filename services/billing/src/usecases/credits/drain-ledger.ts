import type { BillingContext } from '../../context.js';

const batch = 200;

/** Move entries from the accounts into the ledger. */
export async function drainLedger({ credits, attempt }: BillingContext, signal: AbortSignal): Promise<void> {
  for (const accountId of await credits.pendingAccounts(batch)) {
    if (signal.aborted) return;
    await attempt('drain-ledger', accountId, async () => credits.drain(accountId));
  }
}
