import { isAppError } from '@panel/kit/errors';
import { mailEntry } from '../domain/mail.js';
import { acceptedPayment, type DunningStep, type InvoiceRecord, payableStatuses } from '../domain/invoice.js';
import type { SubscriptionDeps } from '../subscriptions/dependencies.js';
import { addDaysTo } from '../domain/calendar.js';
import type { BillingSettings } from '../domain/settings.js';
import { voidInvoice } from '../invoicing/void-invoice.js';
import { endSubscription } from '../subscriptions/end-subscription.js';
import { suspendSubscription } from '../subscriptions/suspend-subscription.js';
import { loadCustomers } from '../customers/load-customers.js';
import { payAutomatically } from '../invoicing/pay-automatically.js';

const batch = 200;
/** Then another replica repeats the step. */
const leaseMs = 5 * 60_000;

/** Reminder, overdue, suspension, end. One replica claims each step. */
export async function runDunning(deps: SubscriptionDeps, signal: AbortSignal): Promise<void> {
  const { invoices, clock, attempt } = deps;
  for (;;) {
    const due = await invoices.dueSteps(clock(), batch);
    for (const invoice of due) {
      if (signal.aborted) return;
      await attempt('dunning', invoice.id, async () => takeDunningStep(deps, invoice));
    }
    if (due.length < batch) return;
  }
}

async function takeDunningStep(deps: SubscriptionDeps, { id, stepAt }: InvoiceRecord): Promise<void> {
  const { invoices, clock } = deps;
  if (!stepAt) return;
  const lease = new Date(clock().getTime() + leaseMs);
  const claimed = await invoices.changeIf(id, { status: payableStatuses, stepAt }, { set: { stepAt: lease } });
  if (claimed) await takeStep(deps, claimed);
  else await invoices.changeIf(id, { status: ['paid', 'void', 'refunded'], stepAt }, { set: { stepAt: null } });
}

async function takeStep(deps: SubscriptionDeps, invoice: InvoiceRecord): Promise<void> {
  const outcome = await collect(deps, invoice);
  if (outcome === 'paid') return;
  if (outcome === 'pending') {
    const stepAt = addDaysTo(deps.clock(), 1);
    await deps.invoices.changeIf(invoice.id, { status: payableStatuses }, { set: { stepAt } });
    return;
  }
  await stepOf(deps, invoice, await deps.settings.read());
}

/** Nothing is collected at the reminder. */
async function collect(deps: SubscriptionDeps, invoice: InvoiceRecord): ReturnType<typeof payAutomatically> {
  if (acceptedPayment(invoice, deps.clock())) return 'pending';
  if (invoice.step === 'remind' || !(await isOfCustomer(deps, invoice))) return 'open';
  return payAutomatically(deps, invoice);
}

/** The stored methods of a deleted customer are not charged. */
async function isOfCustomer(deps: SubscriptionDeps, { userId }: InvoiceRecord): Promise<boolean> {
  return (await loadCustomers(deps, [userId])).has(userId);
}

async function stepOf(deps: SubscriptionDeps, invoice: InvoiceRecord, settings: BillingSettings): Promise<void> {
  const { dueAt } = invoice;
  const at = deps.clock();
  switch (invoice.step) {
    case 'remind':
      await next(deps, invoice, 'due', dueAt, mailEntry(invoice.id, 'invoice_reminder', at));
      return;
    case 'due':
      return due(deps, invoice, settings);
    case 'suspend':
      await suspendOf(deps, invoice);
      await next(deps, invoice, 'terminate', addDaysTo(dueAt, settings.terminateDays));
      return;
    case 'terminate':
      return endOf(deps, invoice);
    case null:
      return;
  }
}

async function due(deps: SubscriptionDeps, invoice: InvoiceRecord, settings: BillingSettings): Promise<void> {
  // Nothing has started: unpaid invoices become void.
  const isRenewal = invoice.items.some(({ purpose }) => purpose === 'renewal');
  if (!isRenewal) {
    await voidInvoice(deps, invoice.id);
    return;
  }
  const mail = mailEntry(invoice.id, 'invoice_overdue', deps.clock());
  const stepAt = addDaysTo(invoice.dueAt, settings.suspendDays);
  const condition = { status: payableStatuses };
  await deps.invoices.changeIf(invoice.id, condition, { set: { status: 'overdue', step: 'suspend', stepAt }, mail });
}

async function next(
  { invoices }: SubscriptionDeps,
  invoice: InvoiceRecord,
  step: DunningStep,
  stepAt: Date,
  mail?: ReturnType<typeof mailEntry>,
): Promise<void> {
  const condition = { status: payableStatuses };
  await invoices.changeIf(invoice.id, condition, { set: { step, stepAt }, ...(mail ? { mail } : {}) });
}

async function suspendOf(deps: SubscriptionDeps, invoice: InvoiceRecord): Promise<void> {
  for (const { purpose, subscriptionId, periodStart } of invoice.items) {
    const subscription = purpose === 'renewal' ? await deps.subscriptions.get(subscriptionId) : null;
    // Renewed meanwhile: the payment wins.
    if (!subscription || subscription.nextDueAt?.getTime() !== periodStart?.getTime()) continue;
    try {
      await suspendSubscription(deps, subscription, 'overdue');
    } catch (error) {
      if (!isAppError(error, 'SERVICE_NOT_ACTIVE')) throw error;
    }
  }
}

async function endOf(deps: SubscriptionDeps, invoice: InvoiceRecord): Promise<void> {
  for (const { purpose, subscriptionId, periodStart } of invoice.items) {
    const subscription = purpose === 'renewal' ? await deps.subscriptions.get(subscriptionId) : null;
    if (subscription?.status === 'suspended' && subscription.nextDueAt?.getTime() === periodStart?.getTime()) {
      await endSubscription(deps, subscriptionId, 'terminated', 'unpaid');
    }
  }
  await voidInvoice(deps, invoice.id);
}
