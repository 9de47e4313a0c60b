import type { Jobs } from '@panel/kit/process';
import type { CreditStore } from '../models/account.js';

interface LedgerDeps {
  readonly credits: Pick<CreditStore, 'pendingAccounts' | 'drain'>;
  readonly attempt: Jobs['attempt'];
}

const batch = 200;

export async function drainLedger({ credits, attempt }: LedgerDeps, signal: AbortSignal): Promise<void> {
  for (const accountId of await credits.pendingAccounts(batch)) {
    if (signal.aborted) return;
    await attempt('drain-ledger', accountId, async () => credits.drain(accountId));
  }
}
