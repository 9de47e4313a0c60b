import { isAppError } from '@panel/kit/errors';
import type { BillingContext } from '../../context.js';
import { addDaysTo } from '../../domain/calendar.js';
import { paidMinor, payableStatuses } from '../../domain/invoice.js';
import type { BillingSettings } from '../../domain/settings.js';
import type { DunningStep, InvoiceRecord } from '../../models/invoice.js';
import { applyInvoiceEffects } from '../invoices/apply-effects.js';
import { finishIntent } from '../invoices/pay-from-credits.js';
import { voidInvoice } from '../invoices/void-invoice.js';
import { mailEntry } from '../mail/mail-entry.js';
import { endService } from '../services/end-service.js';
import { suspendService } from '../services/update-service.js';
import { payAutomatically } from './pay-automatically.js';

const batch = 200;
/** A step whose process died is done again after this. */
const leaseMs = 5 * 60_000;
/** A request that is alive is left to finish its own payment. */
const graceMs = 5_000;

/** What happens to unpaid invoices: reminder, overdue, suspension, end. Each step is claimed by one replica. */
export async function chaseInvoices(context: BillingContext, signal: AbortSignal): Promise<void> {
  const { invoices, clock, attempt } = context;
  for (;;) {
    const due = await invoices.dueSteps(clock(), batch);
    for (const invoice of due) {
      if (signal.aborted) return;
      await attempt('chase-invoices', invoice.id, async () => chaseInvoice(context, invoice));
    }
    if (due.length < batch) return;
  }
}

async function chaseInvoice(context: BillingContext, { id, stepAt }: InvoiceRecord): Promise<void> {
  const { invoices, clock } = context;
  if (!stepAt) return;
  const lease = new Date(clock().getTime() + leaseMs);
  const claimed = await invoices.changeIf(id, { status: payableStatuses, stepAt }, { set: { stepAt: lease } });
  if (claimed) await takeStep(context, claimed);
  else await invoices.changeIf(id, { status: ['paid', 'void', 'refunded'], stepAt }, { set: { stepAt: null } });
}

async function takeStep(context: BillingContext, invoice: InvoiceRecord): Promise<void> {
  if (invoice.step !== 'remind' && (await payAutomatically(context, invoice))) return;
  await stepOf(context, invoice, await context.settings.read());
}

async function stepOf(context: BillingContext, invoice: InvoiceRecord, settings: BillingSettings): Promise<void> {
  const { dueAt } = invoice;
  const at = context.clock();
  switch (invoice.step) {
    case 'remind':
      await next(context, invoice, 'due', dueAt, mailEntry(invoice.id, 'invoice_reminder', at));
      return;
    case 'due':
      return due(context, invoice, settings);
    case 'suspend':
      await suspendOf(context, invoice);
      await next(context, invoice, 'terminate', addDaysTo(dueAt, settings.terminateDays));
      return;
    case 'terminate':
      return endOf(context, invoice);
    case null:
      return;
  }
}

async function due(context: BillingContext, invoice: InvoiceRecord, settings: BillingSettings): Promise<void> {
  // Nothing has started yet that could be suspended: what was not paid in time is void.
  const isRenewal = invoice.items.some(({ purpose }) => purpose === 'renewal');
  if (!isRenewal && paidMinor(invoice) === 0) {
    await voidInvoice(context, invoice.id);
    return;
  }
  const mail = mailEntry(invoice.id, 'invoice_overdue', context.clock());
  const stepAt = addDaysTo(invoice.dueAt, settings.suspendDays);
  const condition = { status: payableStatuses };
  await context.invoices.changeIf(invoice.id, condition, { set: { status: 'overdue', step: 'suspend', stepAt }, mail });
}

async function next(
  { invoices }: BillingContext,
  invoice: InvoiceRecord,
  step: DunningStep,
  stepAt: Date,
  mail?: ReturnType<typeof mailEntry>,
): Promise<void> {
  const condition = { status: payableStatuses };
  await invoices.changeIf(invoice.id, condition, { set: { step, stepAt }, ...(mail ? { mail } : {}) });
}

async function suspendOf(context: BillingContext, invoice: InvoiceRecord): Promise<void> {
  for (const { purpose, serviceId, periodStart } of invoice.items) {
    const service = purpose === 'renewal' ? await context.services.get(serviceId) : null;
    // Renewed in the meantime: the payment has won.
    if (service?.status !== 'active' || service.nextDueAt?.getTime() !== periodStart?.getTime()) continue;
    try {
      await suspendService(context, service, 'overdue');
    } catch (error) {
      if (!isAppError(error, 'SERVICE_NOT_ACTIVE')) throw error;
    }
  }
}

async function endOf(context: BillingContext, invoice: InvoiceRecord): Promise<void> {
  for (const { purpose, serviceId, periodStart } of invoice.items) {
    const service = purpose === 'renewal' ? await context.services.get(serviceId) : null;
    if (service?.status === 'suspended' && service.nextDueAt?.getTime() === periodStart?.getTime()) {
      await endService(context, serviceId, 'terminated');
    }
  }
  if (paidMinor(invoice) === 0) await voidInvoice(context, invoice.id);
  else await context.invoices.changeIf(invoice.id, {}, { set: { step: null, stepAt: null } });
}

/** Payments whose effects were cut short, and payments from credits that were started. */
export async function recoverPayments(context: BillingContext, signal: AbortSignal): Promise<void> {
  const { invoices, clock, attempt } = context;
  const before = new Date(clock().getTime() - graceMs);
  for (const invoice of await invoices.staleIntents(before, batch)) {
    if (signal.aborted) return;
    const { id, intent } = invoice;
    if (intent) await attempt('recover-payments', id, async () => finishIntent(context, invoice, intent));
  }
  for (const { id } of await invoices.dueEffects(before, batch)) {
    if (signal.aborted) return;
    await attempt('recover-payments', id, async () => applyInvoiceEffects(context, id));
  }
}
