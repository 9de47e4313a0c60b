import { type RecurringSubscription, renewalInvoice } from '../domain/renewal.js';
import type { InvoiceRecord } from '../domain/invoice.js';
import type { RenewalDeps } from './dependencies.js';
import { applyInvoiceEffects } from '../invoicing/apply-effects.js';
import { issueInvoices } from '../invoicing/issue-invoices.js';
import { lapseSubscription } from './lapse-subscription.js';
import { payAutomatically } from '../invoicing/pay-automatically.js';

/** Concurrent payments. */
const parallelPayments = 8;

/** Invoices, marks the subscriptions, then collects automatic payments. */
export async function invoiceRenewals(deps: RenewalDeps, due: readonly RecurringSubscription[]): Promise<void> {
  if (due.length === 0) return;
  const settings = await deps.settings.read();
  const profiles = await deps.profiles.getMany([...new Set(due.map(({ subscription }) => subscription.userId))]);
  const requests = due.map((one) => renewalInvoice(one, settings, profiles.get(one.subscription.userId), deps.clock()));
  const invoices = await issueInvoices(deps, requests, profiles);
  deps.failpoint('renew.invoiced');
  const ids = new Set(invoices.map(({ id }) => id));
  const isInvoiced = (_: unknown, index: number) => ids.has(requests[index]?.id ?? '');
  await deps.subscriptions.changeMany(
    due.filter(isInvoiced).map(({ subscription, renewAt, nextDueAt }) => {
      return { id: subscription.id, condition: { renewAt, nextDueAt }, change: { set: { renewAt: null } } };
    }),
  );
  deps.failpoint('renew.marked');
  for (const one of due.filter((each, index) => !isInvoiced(each, index))) await lapseSubscription(deps, one);
  await payAll(deps, invoices);
}

async function payAll(deps: RenewalDeps, invoices: readonly InvoiceRecord[]): Promise<void> {
  const waiting = (await selectPayable(deps, invoices)).values();
  await Promise.all(
    Array.from({ length: parallelPayments }, async () => {
      for (const invoice of waiting) await pay(deps, invoice);
    }),
  );
}

async function pay(deps: RenewalDeps, invoice: InvoiceRecord): Promise<void> {
  try {
    if (invoice.status === 'paid') await applyInvoiceEffects(deps, invoice.id);
    else await payAutomatically(deps, invoice);
  } catch (error) {
    // Dunning steps retry it.
    deps.log.error({ err: error, invoiceId: invoice.id }, 'a renewal could not be paid');
  }
}

/** Paid invoices, and those of customers with enough credits or a stored method. */
async function selectPayable(deps: RenewalDeps, invoices: readonly InvoiceRecord[]): Promise<InvoiceRecord[]> {
  const userIds = [...new Set(invoices.map(({ userId }) => userId))];
  const owners = await deps.storedMethods.owners(userIds);
  const left = new Map<string, number>();
  for (const currency of new Set(invoices.map((invoice) => invoice.currency))) {
    const balances = await deps.credits.balances(userIds, currency);
    for (const [userId, balance] of balances) left.set(`${userId} ${currency}`, balance);
  }
  return invoices.filter(({ status, userId, currency, totalMinor }) => {
    if (status === 'paid') return true;
    if (status !== 'unpaid' && status !== 'overdue') return false;
    const balance = left.get(`${userId} ${currency}`) ?? 0;
    if (balance < totalMinor) return owners.has(userId);
    left.set(`${userId} ${currency}`, balance - totalMinor);
    return true;
  });
}
