import type { Finding } from '../domain/discrepancy.js';
import type { ReconciliationDeps } from './dependencies.js';
import { compareCredits } from './compare-credits.js';
import { compareJournal } from './compare-journal.js';
import { compareCustomers } from './compare-customers.js';
import { comparePayments } from './compare-payments.js';
import { compareProducts } from './compare-products.js';
import { compareSubscriptions } from './compare-subscriptions.js';

const intervalMs = 10 * 60_000;

/**
 * Compares subscriptions with servers and customers, products with eggs, the ledger with balances, credits with invoices,
 * both with the journal, payments with gateways. Repairs what is safe, retains all findings. One replica at a time.
 */
export async function reconcile(deps: ReconciliationDeps, signal: AbortSignal): Promise<void> {
  const { discrepancies, clock, attempt } = deps;
  if (!(await discrepancies.claim(clock(), intervalMs))) return;
  const findings: Finding[] = [];
  const comparisons = {
    compareLedger,
    compareCredits,
    compareJournal,
    compareSubscriptions,
    compareCustomers,
    compareProducts,
    comparePayments,
  };
  for (const [name, compare] of Object.entries(comparisons)) {
    if (signal.aborted) return;
    await attempt('reconcile', name, async () => findings.push(...(await compare(deps, signal))));
  }
  const foundAt = clock();
  for (const finding of findings) deps.log.warn({ ...finding }, 'billing does not agree with something else');
  await discrepancies.write(
    findings.map((finding) => ({ ...finding, foundAt })),
    foundAt,
  );
}

/** Never repaired: evidence. */
async function compareLedger({ credits }: ReconciliationDeps): Promise<Finding[]> {
  return (await credits.findMismatches()).map(({ accountId, balanceMinor, sumMinor }) => ({
    kind: 'ledger_mismatch',
    reference: accountId,
    detail: `the balance is ${balanceMinor}, the ledger sums to ${sumMinor}`,
    repaired: false,
  }));
}
