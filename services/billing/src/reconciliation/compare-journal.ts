import { type InvoiceRecord, isPayable, paidMinor } from '../domain/invoice.js';
import type { Finding } from '../domain/discrepancy.js';
import { accountIdOf } from '../domain/credit.js';
import { accounts } from '../domain/journal.js';
import type { ReconciliationDeps } from './dependencies.js';

/** Older entries are already compared. */
const windowMs = 72 * 3_600_000;
const batchSize = 200;

/**
 * What the journal has for the invoices and customers of new entries, against the invoices and balances themselves. Those with
 * work in progress are compared later. Never repaired: evidence.
 */
export async function compareJournal(deps: ReconciliationDeps, signal: AbortSignal): Promise<Finding[]> {
  const findings: Finding[] = [];
  const invoiceIds = new Set<string>();
  const customers = new Map<string, { readonly userId: string; readonly currency: string }>();
  const compareBatch = async () => {
    findings.push(
      ...(await compareInvoices(deps, [...invoiceIds])),
      ...(await compareBalances(deps, [...customers.values()])),
    );
    invoiceIds.clear();
    customers.clear();
  };
  for await (const { userId, currency, kind, lines } of deps.journal.postedSince(new Date(Date.now() - windowMs))) {
    if (signal.aborted) return findings;
    for (const { account } of lines) {
      const [name, id] = account.split(':');
      if (id !== undefined && (name === 'receivable' || name === 'disputed')) invoiceIds.add(id);
    }
    if (kind === 'credits') customers.set(`${userId}:${currency}`, { userId, currency });
    if (invoiceIds.size + customers.size >= batchSize) await compareBatch();
  }
  await compareBatch();
  return findings;
}

async function compareInvoices(deps: ReconciliationDeps, ids: readonly string[]): Promise<Finding[]> {
  const suspects = await mismatches(deps, ids);
  // Their entries of credits may not be in the journal yet.
  for (const { invoice } of suspects) await deps.credits.drain(accountIdOf(invoice.userId, invoice.currency));
  const found = await mismatches(
    deps,
    suspects.map(({ invoice }) => invoice.id),
  );
  return found.map(({ invoice: { id, number, currency }, expected, receivable, disputed }) => {
    const detail = `it has ${receivable} ${currency} open of the invoice ${number}, not ${expected}, and ${disputed} disputed`;
    return { kind: 'journal_mismatch', reference: id, detail, repaired: false };
  });
}

async function mismatches({ invoices, journal }: ReconciliationDeps, ids: readonly string[]) {
  if (ids.length === 0) return [];
  const unjournaled = await invoices.withoutJournal(ids);
  const found = (await invoices.getMany(ids)).filter((invoice) => isAtRest(invoice) && !unjournaled.has(invoice.id));
  const sums = await journal.sums(found.flatMap(({ id }) => [accounts.receivable(id), accounts.disputed(id)]));
  return found.flatMap((invoice) => {
    const expected = isPayable(invoice) ? invoice.totalMinor - paidMinor(invoice) : 0;
    const receivable = sums.get(accounts.receivable(invoice.id)) ?? 0;
    const disputed = sums.get(accounts.disputed(invoice.id)) ?? 0;
    return receivable === expected && disputed === 0 ? [] : [{ invoice, expected, receivable, disputed }];
  });
}

/** No event of it is on its way. */
function isAtRest({ intent, effectsDueAt, refunds, disputes }: InvoiceRecord): boolean {
  const isRefunded = refunds.every(({ state }) => state !== 'pending');
  return !intent && !effectsDueAt && isRefunded && disputes.every(({ outcome }) => outcome !== 'open');
}

async function compareBalances(
  { credits, journal }: ReconciliationDeps,
  customers: readonly { readonly userId: string; readonly currency: string }[],
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { userId, currency } of customers) {
    const before = await credits.state(userId, currency);
    const journaled = await journal.creditsOf(userId, currency, before.pendingIds);
    const after = await credits.state(userId, currency);
    if (journaled === before.drainedMinor || before.version !== after.version) continue;
    const detail = `it has ${journaled} ${currency} of the credits of the user ${userId}, not ${before.drainedMinor}`;
    findings.push({ kind: 'journal_mismatch', reference: accountIdOf(userId, currency), detail, repaired: false });
  }
  return findings;
}
