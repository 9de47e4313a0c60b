import { creditProblem, foundedReasons } from '../domain/credit-law.js';
import type { CreditEntry } from '../domain/credit.js';
import type { Finding } from '../domain/discrepancy.js';
import type { ReconciliationDeps } from './dependencies.js';

/** Older entries are already compared. */
const windowMs = 72 * 3_600_000;
const batchSize = 200;

/** Credits that no payment stands for. Never repaired: they may be spent. */
export async function compareCredits(deps: ReconciliationDeps, signal: AbortSignal): Promise<Finding[]> {
  const findings: Finding[] = [];
  let batch: CreditEntry[] = [];
  for await (const entry of deps.credits.entriesSince(new Date(deps.clock().getTime() - windowMs), foundedReasons)) {
    if (signal.aborted) return findings;
    batch.push(entry);
    if (batch.length < batchSize) continue;
    findings.push(...(await compareBatch(deps, batch)));
    batch = [];
  }
  return [...findings, ...(await compareBatch(deps, batch))];
}

async function compareBatch({ invoices }: ReconciliationDeps, batch: readonly CreditEntry[]): Promise<Finding[]> {
  const found = await invoices.getMany([...new Set(batch.map(({ reference }) => reference))]);
  const byId = new Map(found.map((invoice) => [invoice.id, invoice]));
  return batch.flatMap((entry): Finding[] => {
    const problem = creditProblem(entry, byId.get(entry.reference));
    if (problem === null) return [];
    const detail = `${entry.amountMinor} ${entry.currency} of the user ${entry.userId} (${entry.reason}): ${problem}`;
    return [{ kind: 'credit_without_payment', reference: entry.id, detail, repaired: false }];
  });
}
