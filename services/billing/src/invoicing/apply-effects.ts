import { derivedId } from '@panel/rpc';
import { startOf } from '../domain/subscription-start.js';
import { mailEntry } from '../domain/mail.js';
import { isEnded, type SubscriptionRecord } from '../domain/subscription.js';
import { type InvoiceItem, type InvoiceRecord, paidMinor } from '../domain/invoice.js';
import type { InvoicingDeps } from './dependencies.js';
import { renewalTime } from '../domain/renewal.js';
import { fail } from '../reasons.js';

/**
 * Subscriptions start, continue or change; credits are added; overpayment becomes credits. Idempotent. No effect unless
 * due.
 */
export async function applyInvoiceEffects(deps: InvoicingDeps, invoiceId: string): Promise<void> {
  const invoice = await deps.invoices.get(invoiceId);
  if (invoice) await applyEffectsOf(deps, invoice);
}

/** For an invoice just read. */
export async function applyEffectsOf(deps: InvoicingDeps, invoice: InvoiceRecord): Promise<void> {
  if (!invoice.effectsDueAt) return;
  if (invoice.status === 'paid' || invoice.status === 'refunded') {
    for (const item of invoice.items) await applyItem(deps, invoice, item);
    if (invoice.orderId !== '') await deps.orders.changeStatus(invoice.orderId, ['pending'], 'paid');
  }
  await creditOverpayment(deps, invoice);
  await deps.invoices.changeIf(invoice.id, { effectsDueAt: invoice.effectsDueAt }, { set: { effectsDueAt: null } });
  deps.runJob('sync-servers');
}

async function applyItem(deps: InvoicingDeps, invoice: InvoiceRecord, item: InvoiceItem): Promise<void> {
  switch (item.purpose) {
    case 'start': {
      const bought = await deps.subscriptions.ofOrder(invoice.orderId);
      for (const subscription of bought) await startSubscription(deps, subscription, invoice.paidAt ?? deps.clock());
      return;
    }
    case 'renewal':
      return renewSubscription(deps, invoice, item);
    case 'change':
      return applyChange(deps, invoice, item);
    case 'credits':
      await deps.credits.post({
        id: derivedId(invoice.id, 'credits'),
        userId: invoice.userId,
        currency: invoice.currency,
        amountMinor: item.netMinor,
        reason: 'purchase',
        note: '',
        reference: invoice.id,
        createdAt: deps.clock(),
      });
      await wakeMeteredSubscriptions(deps, invoice.userId);
      return;
    case 'usage':
    case 'refund':
      return;
  }
}

/** Wakes metered subscriptions that wait for credits. */
export async function wakeMeteredSubscriptions(deps: InvoicingDeps, userId: string): Promise<void> {
  await deps.subscriptions.wakeMetering(userId, deps.clock());
  deps.runJob('meter-subscriptions');
}

async function startSubscription(deps: InvoicingDeps, subscription: SubscriptionRecord, at: Date): Promise<void> {
  if (subscription.status !== 'pending') return;
  await deps.subscriptions.changeIf(
    subscription.id,
    { status: ['pending'] },
    { set: startOf(subscription.plan, at, await deps.settings.read()), syncAt: deps.clock() },
  );
}

const maxTries = 20;
/** Effects repeat only after a crash. */
const rememberedChanges = 20;

async function renewSubscription(deps: InvoicingDeps, invoice: InvoiceRecord, item: InvoiceItem): Promise<void> {
  const { invoiceDaysBefore } = await deps.settings.read();
  for (let tries = 0; tries < maxTries; tries++) {
    const subscription = await deps.subscriptions.get(item.subscriptionId);
    // Already renewed, or not for this invoice.
    if (!subscription || subscription.nextDueAt?.getTime() !== item.periodStart?.getTime()) return;
    if (isEnded(subscription.status)) return refundItem(deps, invoice, item);
    if (await tryRenew(deps, subscription, invoice, item, invoiceDaysBefore)) return;
  }
  throw fail('SERVICE_CHANGED', 'a service changes too fast to be renewed', { serviceId: item.subscriptionId });
}

/** False: the subscription changed meanwhile. */
async function tryRenew(
  deps: InvoicingDeps,
  subscription: SubscriptionRecord,
  invoice: InvoiceRecord,
  { periodStart, periodEnd }: InvoiceItem,
  invoiceDaysBefore: number,
): Promise<boolean> {
  if (!periodStart || !periodEnd) return true;
  const at = deps.clock();
  const isUnsuspended = subscription.status === 'suspended' && subscription.suspendReason === 'overdue';
  const renewed = await deps.subscriptions.changeIf(
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

/** Ended before the payment: the money becomes credits. */
async function refundItem(deps: InvoicingDeps, invoice: InvoiceRecord, item: InvoiceItem): Promise<void> {
  await deps.credits.post({
    id: derivedId(invoice.id, `ended ${item.subscriptionId}`),
    userId: invoice.userId,
    currency: invoice.currency,
    amountMinor: item.totalMinor,
    reason: 'refund',
    note: 'the service had ended',
    reference: invoice.id,
    createdAt: deps.clock(),
  });
}

async function applyChange(deps: InvoicingDeps, invoice: InvoiceRecord, item: InvoiceItem): Promise<void> {
  const subscription = await deps.subscriptions.get(item.subscriptionId);
  if (!subscription || subscription.appliedChanges.includes(invoice.id)) return;
  const { change } = subscription;
  // Ended: the money becomes credits.
  if (change?.invoiceId !== invoice.id) return refundItem(deps, invoice, item);
  const changed = await deps.subscriptions.changeIf(
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
      syncAt: deps.clock(),
    },
  );
  if (!changed) throw fail('SERVICE_CHANGED', 'the service has just changed', { serviceId: subscription.id });
}

/** Once per payment. */
async function creditOverpayment(deps: InvoicingDeps, invoice: InvoiceRecord): Promise<void> {
  let open = invoice.status === 'void' ? 0 : invoice.totalMinor;
  if (paidMinor(invoice) <= open) return;
  for (const { id, amountMinor } of invoice.payments) {
    if (amountMinor <= 0) continue;
    const excess = amountMinor - Math.min(open, amountMinor);
    open -= amountMinor - excess;
    if (excess === 0) continue;
    await deps.credits.post({
      id: derivedId(invoice.id, `excess ${id}`),
      userId: invoice.userId,
      currency: invoice.currency,
      amountMinor: excess,
      reason: 'overpayment',
      note: '',
      reference: invoice.id,
      createdAt: deps.clock(),
    });
  }
}
