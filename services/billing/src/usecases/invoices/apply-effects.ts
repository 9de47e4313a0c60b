import { derivedId } from '@panel/rpc';
import type { BillingContext } from '../../context.js';
import { endOfPeriod, addDaysTo, isRecurring } from '../../domain/calendar.js';
import { type InvoiceItem, paidMinor } from '../../domain/invoice.js';
import type { InvoiceRecord } from '../../models/invoice.js';
import type { ServiceRecord } from '../../models/service.js';
import { isEnded } from '../../domain/service.js';
import { fail } from '../../reasons.js';
import { mailEntry } from '../mail/mail-entry.js';

/**
 * What the payment of an invoice brings about: services start, continue or change, credits are added, and what was paid too
 * much becomes credits. Every part can be done again without doing it twice. Does nothing unless the invoice waits for it.
 */
export async function applyInvoiceEffects(context: BillingContext, invoiceId: string): Promise<void> {
  const invoice = await context.invoices.get(invoiceId);
  if (invoice) await applyEffectsOf(context, invoice);
}

/** The same for an invoice that was just read. */
export async function applyEffectsOf(context: BillingContext, invoice: InvoiceRecord): Promise<void> {
  if (!invoice.effectsDueAt) return;
  if (invoice.status === 'paid' || invoice.status === 'refunded') {
    for (const item of invoice.items) await applyItem(context, invoice, item);
    if (invoice.orderId !== '') await context.orders.changeStatus(invoice.orderId, ['pending'], 'paid');
  }
  await creditOverpayment(context, invoice);
  await context.invoices.changeIf(invoice.id, { effectsDueAt: invoice.effectsDueAt }, { set: { effectsDueAt: null } });
  context.runJob('sync-servers');
}

async function applyItem(context: BillingContext, invoice: InvoiceRecord, item: InvoiceItem): Promise<void> {
  switch (item.purpose) {
    case 'start': {
      const bought = await context.services.ofOrder(invoice.orderId);
      for (const service of bought) await startService(context, service, invoice.paidAt ?? context.clock());
      return;
    }
    case 'renewal':
      return renewService(context, invoice, item);
    case 'change':
      return applyChange(context, invoice, item);
    case 'credits':
      await context.credits.post({
        id: derivedId(invoice.id, 'credits'),
        userId: invoice.userId,
        currency: invoice.currency,
        amountMinor: item.netMinor,
        reason: 'purchase',
        note: '',
        reference: invoice.id,
        createdAt: context.clock(),
      });
      await wakeMetered(context, invoice.userId);
      return;
    case 'usage':
    case 'refund':
      return;
  }
}

/** Metered services that wait for credits are looked at again now. */
export async function wakeMetered(context: BillingContext, userId: string): Promise<void> {
  await context.services.wakeMetering(userId, context.clock());
  context.runJob('meter-services');
}

/** The first period begins with the payment. */
async function startService(context: BillingContext, service: ServiceRecord, at: Date): Promise<void> {
  if (service.status !== 'pending') return;
  const { timezone, invoiceDaysBefore } = await context.settings.read();
  const { interval, intervalCount } = service.plan;
  const nextDueAt = isRecurring(interval) ? endOfPeriod(at, { interval, intervalCount }, 1, timezone) : null;
  await context.services.changeIf(
    service.id,
    { status: ['pending'] },
    {
      set: {
        status: 'provisioning',
        anchorAt: at,
        periods: 1,
        nextDueAt,
        renewAt: nextDueAt && renewalTime(at, nextDueAt, invoiceDaysBefore),
        meterAt: interval === 'metered' ? at : null,
      },
      syncAt: context.clock(),
    },
  );
}

/** When the invoice of the next period is due: so many days before, but not before half of this period has passed. */
export function renewalTime(start: Date, end: Date, invoiceDaysBefore: number): Date {
  const half = new Date((start.getTime() + end.getTime()) / 2);
  const before = addDaysTo(end, -invoiceDaysBefore);
  return before > half ? before : half;
}

const maxTries = 20;
/** Effects are applied again only after a crash, so that a short memory is enough. */
const rememberedChanges = 20;

async function renewService(context: BillingContext, invoice: InvoiceRecord, item: InvoiceItem): Promise<void> {
  const { invoiceDaysBefore } = await context.settings.read();
  for (let tries = 0; tries < maxTries; tries++) {
    const service = await context.services.get(item.serviceId);
    // Already renewed, or never of this invoice.
    if (!service || service.nextDueAt?.getTime() !== item.periodStart?.getTime()) return;
    if (isEnded(service.status)) return refundItem(context, invoice, item);
    if (await tryRenew(context, service, invoice, item, invoiceDaysBefore)) return;
  }
  throw fail('SERVICE_CHANGED', 'a service changes too fast to be renewed', { serviceId: item.serviceId });
}

/** False when the service changed meanwhile. */
async function tryRenew(
  context: BillingContext,
  service: ServiceRecord,
  invoice: InvoiceRecord,
  { periodStart, periodEnd }: InvoiceItem,
  invoiceDaysBefore: number,
): Promise<boolean> {
  if (!periodStart || !periodEnd) return true;
  const at = context.clock();
  const isUnsuspended = service.status === 'suspended' && service.suspendReason === 'overdue';
  const renewed = await context.services.changeIf(
    service.id,
    { status: [service.status], nextDueAt: periodStart, suspendReason: service.suspendReason },
    {
      set: {
        nextDueAt: periodEnd,
        periods: service.periods + 1,
        renewAt: renewalTime(periodStart, periodEnd, invoiceDaysBefore),
        ...(isUnsuspended ? { status: 'active' as const, suspendReason: null, suspendedAt: null } : {}),
      },
      ...(isUnsuspended ? { syncAt: at, mail: mailEntry(service.id, 'service_unsuspended', at, invoice.id) } : {}),
    },
  );
  return renewed !== null;
}

/** The service ended before its renewal or change was paid: the money goes to the customer's credits. */
async function refundItem(context: BillingContext, invoice: InvoiceRecord, item: InvoiceItem): Promise<void> {
  await context.credits.post({
    id: derivedId(invoice.id, `ended ${item.serviceId}`),
    userId: invoice.userId,
    currency: invoice.currency,
    amountMinor: item.totalMinor,
    reason: 'refund',
    note: 'the service had ended',
    reference: invoice.id,
    createdAt: context.clock(),
  });
}

async function applyChange(context: BillingContext, invoice: InvoiceRecord, item: InvoiceItem): Promise<void> {
  const service = await context.services.get(item.serviceId);
  if (!service || service.appliedChanges.includes(invoice.id)) return;
  const { change } = service;
  // Dropped, because the service ended: the money goes to the customer's credits.
  if (change?.invoiceId !== invoice.id) return refundItem(context, invoice, item);
  const changed = await context.services.changeIf(
    service.id,
    { changeInvoiceId: invoice.id },
    {
      set: {
        plan: change.plan,
        server: change.server,
        productId: change.productId,
        productName: change.productName,
        change: null,
        appliedChanges: [...service.appliedChanges, invoice.id].slice(-rememberedChanges),
        limitsDue: true,
      },
      syncAt: context.clock(),
    },
  );
  if (!changed) throw fail('SERVICE_CHANGED', 'the service has just changed', { serviceId: service.id });
}

/** Money beyond the total: each payment that is in excess becomes credits, once. */
async function creditOverpayment(context: BillingContext, invoice: InvoiceRecord): Promise<void> {
  let open = invoice.status === 'void' ? 0 : invoice.totalMinor;
  if (paidMinor(invoice) <= open) return;
  for (const { id, amountMinor } of invoice.payments) {
    if (amountMinor <= 0) continue;
    const excess = amountMinor - Math.min(open, amountMinor);
    open -= amountMinor - excess;
    if (excess === 0) continue;
    await context.credits.post({
      id: derivedId(invoice.id, `excess ${id}`),
      userId: invoice.userId,
      currency: invoice.currency,
      amountMinor: excess,
      reason: 'overpayment',
      note: '',
      reference: invoice.id,
      createdAt: context.clock(),
    });
  }
}
