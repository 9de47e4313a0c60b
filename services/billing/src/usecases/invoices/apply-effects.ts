import { derivedId } from '@panel/rpc';
import type { BillingContext } from '../../context.js';
import { endOfPeriod, addDaysTo, isRecurring } from '../../domain/calendar.js';
import { type InvoiceItem, paidMinor } from '../../domain/invoice.js';
import type { InvoiceRecord } from '../../models/invoice.js';
import type { SubscriptionRecord } from '../../models/subscription.js';
import { isEnded } from '../../domain/subscription.js';
import { fail } from '../../reasons.js';
import { mailEntry } from '../mail/mail-entry.js';

/**
 * What the payment of an invoice brings about: subscriptions start, continue or change, credits are added, and what was paid too
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
      const bought = await context.subscriptions.ofOrder(invoice.orderId);
      for (const subscription of bought)
        await startSubscription(context, subscription, invoice.paidAt ?? context.clock());
      return;
    }
    case 'renewal':
      return renewSubscription(context, invoice, item);
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
      await wakeMeteredSubscriptions(context, invoice.userId);
      return;
    case 'usage':
    case 'refund':
      return;
  }
}

/** Metered subscriptions that wait for credits are looked at again now. */
export async function wakeMeteredSubscriptions(context: BillingContext, userId: string): Promise<void> {
  await context.subscriptions.wakeMetering(userId, context.clock());
  context.runJob('meter-subscriptions');
}

/** The first period begins with the payment. */
async function startSubscription(context: BillingContext, subscription: SubscriptionRecord, at: Date): Promise<void> {
  if (subscription.status !== 'pending') return;
  const { timezone, invoiceDaysBefore } = await context.settings.read();
  const { interval, intervalCount } = subscription.plan;
  const nextDueAt = isRecurring(interval) ? endOfPeriod(at, { interval, intervalCount }, 1, timezone) : null;
  await context.subscriptions.changeIf(
    subscription.id,
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

async function renewSubscription(context: BillingContext, invoice: InvoiceRecord, item: InvoiceItem): Promise<void> {
  const { invoiceDaysBefore } = await context.settings.read();
  for (let tries = 0; tries < maxTries; tries++) {
    const subscription = await context.subscriptions.get(item.subscriptionId);
    // Already renewed, or never of this invoice.
    if (!subscription || subscription.nextDueAt?.getTime() !== item.periodStart?.getTime()) return;
    if (isEnded(subscription.status)) return refundItem(context, invoice, item);
    if (await tryRenew(context, subscription, invoice, item, invoiceDaysBefore)) return;
  }
  throw fail('SERVICE_CHANGED', 'a service changes too fast to be renewed', { serviceId: item.subscriptionId });
}

/** False when the subscription changed meanwhile. */
async function tryRenew(
  context: BillingContext,
  subscription: SubscriptionRecord,
  invoice: InvoiceRecord,
  { periodStart, periodEnd }: InvoiceItem,
  invoiceDaysBefore: number,
): Promise<boolean> {
  if (!periodStart || !periodEnd) return true;
  const at = context.clock();
  const isUnsuspended = subscription.status === 'suspended' && subscription.suspendReason === 'overdue';
  const renewed = await context.subscriptions.changeIf(
    subscription.id,
    { status: [subscription.status], nextDueAt: periodStart, suspendReason: subscription.suspendReason },
    {
      set: {
        nextDueAt: periodEnd,
        periods: subscription.periods + 1,
        renewAt: renewalTime(periodStart, periodEnd, invoiceDaysBefore),
        ...(isUnsuspended ? { status: 'active' as const, suspendReason: null, suspendedAt: null } : {}),
      },
      ...(isUnsuspended
        ? { syncAt: at, mail: mailEntry(subscription.id, 'subscription_unsuspended', at, invoice.id) }
        : {}),
    },
  );
  return renewed !== null;
}

/** The subscription ended before its renewal or change was paid: the money goes to the customer's credits. */
async function refundItem(context: BillingContext, invoice: InvoiceRecord, item: InvoiceItem): Promise<void> {
  await context.credits.post({
    id: derivedId(invoice.id, `ended ${item.subscriptionId}`),
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
  const subscription = await context.subscriptions.get(item.subscriptionId);
  if (!subscription || subscription.appliedChanges.includes(invoice.id)) return;
  const { change } = subscription;
  // Dropped, because the subscription ended: the money goes to the customer's credits.
  if (change?.invoiceId !== invoice.id) return refundItem(context, invoice, item);
  const changed = await context.subscriptions.changeIf(
    subscription.id,
    { changeInvoiceId: invoice.id },
    {
      set: {
        plan: change.plan,
        server: change.server,
        productId: change.productId,
        productName: change.productName,
        change: null,
        appliedChanges: [...subscription.appliedChanges, invoice.id].slice(-rememberedChanges),
        limitsDue: true,
      },
      syncAt: context.clock(),
    },
  );
  if (!changed) throw fail('SERVICE_CHANGED', 'the service has just changed', { serviceId: subscription.id });
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
