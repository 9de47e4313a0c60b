import { creditProblem, foundedReasons, giftProblem } from '../domain/credit-law.js';
import type { CreditEntry, CreditReason } from '../domain/credit.js';
import type { Finding } from '../domain/discrepancy.js';
import type { ReconciliationDeps } from './dependencies.js';

/** Older entries are already compared. */
const windowMs = 72 * 3_600_000;
const batchSize = 200;

const reasons: readonly CreditReason[] = [...foundedReasons, 'gift'];

/** Credits that neither a payment nor a gift code stands for. Never repaired: they may be spent. */
export async function compareCredits(deps: ReconciliationDeps, signal: AbortSignal): Promise<Finding[]> {
  const findings: Finding[] = [];
  let batch: CreditEntry[] = [];
  for await (const entry of deps.credits.entriesSince(new Date(deps.clock().getTime() - windowMs), reasons)) {
    if (signal.aborted) return findings;
    batch.push(entry);
    if (batch.length < batchSize) continue;
    findings.push(...(await compareBatch(deps, batch)));
    batch = [];
  }
  return [...findings, ...(await compareBatch(deps, batch))];
}

async function compareBatch(
  { invoices, giftCodes }: ReconciliationDeps,
  batch: readonly CreditEntry[],
): Promise<Finding[]> {
  const referencesOf = (isGift: boolean) => [
    ...new Set(batch.filter(({ reason }) => (reason === 'gift') === isGift).map(({ reference }) => reference)),
  ];
  const [foundInvoices, foundCodes] = await Promise.all([
    invoices.getMany(referencesOf(false)),
    giftCodes.getMany(referencesOf(true)),
  ]);
  const invoiceById = new Map(foundInvoices.map((invoice) => [invoice.id, invoice]));
  const codeById = new Map(foundCodes.map((code) => [code.id, code]));
  return batch.flatMap((entry): Finding[] => {
    const problem =
      entry.reason === 'gift'
        ? giftProblem(entry, codeById.get(entry.reference))
        : creditProblem(entry, invoiceById.get(entry.reference));
    if (problem === null) return [];
    const detail = `${entry.amountMinor} ${entry.currency} of the user ${entry.userId} (${entry.reason}): ${problem}`;
    return [{ kind: 'credit_without_payment', reference: entry.id, detail, repaired: false }];
  });
}
