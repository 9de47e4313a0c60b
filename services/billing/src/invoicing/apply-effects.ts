import { derivedId } from '@panel/rpc';
import { startOf } from '../domain/subscription-start.js';
import { mailEntry } from '../domain/mail.js';
import { isEnded, type SubscriptionRecord, termsOfChange, unitsOfChange } from '../domain/subscription.js';
import { type InvoiceItem, type InvoiceRecord, paidMinor } from '../domain/invoice.js';
import { orderIds } from '../domain/order-ids.js';
import { currentPeriods, paidPeriodOf } from '../domain/paid-period.js';
import { cancelInvoice } from './cancel-invoice.js';
import type { InvoicingDeps } from './dependencies.js';
import { discountAfter, renewalTime } from '../domain/renewal.js';
import { fail } from '../reasons.js';
import { startRemainingRefund } from './start-refund.js';
import type { CreditEntry } from '../domain/credit.js';
import { type MoveOptions, sumOf, takeParts } from '../domain/credit-lots.js';
import { accounts } from '../domain/journal.js';

/**
 * Subscriptions start, continue or change; credits are added; overpayment becomes credits; what is void is cancelled.
 * Idempotent. No effect unless due.
 */
export async function applyInvoiceEffects(deps: InvoicingDeps, invoiceId: string): Promise<void> {
  const invoice = await deps.invoices.get(invoiceId);
  if (invoice) await applyEffectsOf(deps, invoice);
}

/** For an invoice just read. */
export async function applyEffectsOf(deps: InvoicingDeps, invoice: InvoiceRecord): Promise<void> {
  if (!invoice.effectsDueAt) return;
  if (invoice.status === 'paid' || invoice.status === 'refunded') {
    for (const line of invoice.items.keys()) await applyItem(deps, invoice, line);
    if (invoice.orderId !== '') await deps.orders.changeStatus(invoice.orderId, ['pending'], 'paid');
  }
  if (invoice.status === 'void') await cancelInvoice(deps, invoice);
  await creditOverpayment(deps, invoice);
  await deps.invoices.changeIf(invoice.id, { effectsDueAt: invoice.effectsDueAt }, { set: { effectsDueAt: null } });
  deps.runJob('sync-servers');
}

async function applyItem(deps: InvoicingDeps, invoice: InvoiceRecord, line: number): Promise<void> {
  const item = invoice.items[line];
  switch (item?.purpose) {
    case 'start':
      return startUnits(deps, invoice, line, item.quantity);
    case 'renewal':
      return renewSubscription(deps, invoice, line, item);
    case 'change':
      return applyChange(deps, invoice, line, item);
    case 'credits':
      await deps.credits.post({
        id: derivedId(invoice.id, 'credits'),
        userId: invoice.userId,
        currency: invoice.currency,
        amountMinor: item.netMinor,
        reason: 'purchase',
        note: '',
        reference: invoice.id,
        against: accounts.sales(invoice.id),
        createdAt: deps.clock(),
      });
      await wakeSubscriptions(deps, invoice.userId);
      return;
    case 'usage':
    case 'refund':
    case undefined:
      return;
  }
}

/** Those that wait for credits. */
export async function wakeSubscriptions(deps: InvoicingDeps, userId: string): Promise<void> {
  await deps.subscriptions.wakeMetering(userId, deps.clock());
  deps.runJob('meter-subscriptions');
  deps.runJob('lift-debts');
}

/** The services of an item of an order. */
async function startUnits(deps: InvoicingDeps, invoice: InvoiceRecord, line: number, quantity: number): Promise<void> {
  const at = invoice.paidAt ?? deps.clock();
  const settings = await deps.settings.read();
  const ids = orderIds.subscriptions(invoice.orderId, line, quantity);
  for (const subscription of await deps.subscriptions.getMany(ids)) {
    if (subscription.status !== 'pending') continue;
    const unit = ids.indexOf(subscription.id);
    const start = startOf(subscription.plan, at, settings);
    const paid = start.nextDueAt ? [paidPeriodOf(invoice, line, { start: at, end: start.nextDueAt }, unit)] : [];
    await deps.subscriptions.changeIf(
      subscription.id,
      { status: ['pending'] },
      { set: { ...start, paid }, syncAt: deps.clock() },
    );
  }
}

const maxTries = 20;
/** Effects repeat only after a crash. */
const rememberedChanges = 20;

async function renewSubscription(
  deps: InvoicingDeps,
  invoice: InvoiceRecord,
  line: number,
  item: InvoiceItem,
): Promise<void> {
  const { invoiceDaysBefore } = await deps.settings.read();
  for (let tries = 0; tries < maxTries; tries++) {
    const subscription = await deps.subscriptions.get(item.subscriptionId);
    // Already renewed, or not for this invoice.
    if (!subscription || subscription.nextDueAt?.getTime() !== item.periodStart?.getTime()) return;
    if (isEnded(subscription.status)) return refundItem(deps, invoice, line, item);
    if (await tryRenew(deps, subscription, invoice, line, invoiceDaysBefore)) return;
  }
  throw fail('SERVICE_CHANGED', 'a service changes too fast to be renewed', { serviceId: item.subscriptionId });
}

/** False: the subscription changed meanwhile. */
async function tryRenew(
  deps: InvoicingDeps,
  subscription: SubscriptionRecord,
  invoice: InvoiceRecord,
  line: number,
  invoiceDaysBefore: number,
): Promise<boolean> {
  const { periodStart, periodEnd, discountMinor = 0 } = invoice.items[line] ?? {};
  if (!periodStart || !periodEnd) return true;
  const at = deps.clock();
  const { plan, priceChange } = subscription;
  const isChangeDue = priceChange && periodStart >= priceChange.from;
  const next = paidPeriodOf(invoice, line, { start: periodStart, end: periodEnd });
  const suspendReasons = subscription.suspendReasons.filter((reason) => reason !== 'overdue');
  const isUnsuspended = subscription.status === 'suspended' && suspendReasons.length === 0;
  const renewed = await deps.subscriptions.changeIf(
    subscription.id,
    { status: [subscription.status], nextDueAt: periodStart, suspendReasons: subscription.suspendReasons },
    {
      set: {
        nextDueAt: periodEnd,
        periods: subscription.periods + 1,
        ...(isChangeDue ? { plan: { ...plan, priceMinor: priceChange.priceMinor }, priceChange: null } : {}),
        renewAt: renewalTime(periodStart, periodEnd, invoiceDaysBefore),
        paid: [...currentPeriods(subscription, at), next],
        ...(discountMinor > 0 ? { discount: discountAfter(subscription) } : {}),
        suspendReasons,
        ...(isUnsuspended ? { status: 'active' as const, suspendedAt: null } : {}),
      },
      ...(isUnsuspended
        ? { syncAt: at, mail: mailEntry(subscription.id, 'subscription_unsuspended', at, invoice.id) }
        : {}),
    },
  );
  return renewed !== null;
}

/** Ended before the payment: the money becomes credits. */
async function refundItem(
  deps: InvoicingDeps,
  invoice: InvoiceRecord,
  line: number,
  { subscriptionId, totalMinor }: InvoiceItem,
): Promise<void> {
  const terms = { destination: 'credits', cancelSubscriptions: false, reason: 'the service had ended' } as const;
  const input = { ...terms, amountMinor: totalMinor, line };
  await startRemainingRefund(deps, invoice.id, input, derivedId(invoice.id, `ended ${subscriptionId}`));
  deps.runJob('recover-refunds');
}

async function applyChange(
  deps: InvoicingDeps,
  invoice: InvoiceRecord,
  line: number,
  item: InvoiceItem,
): Promise<void> {
  const subscription = await deps.subscriptions.get(item.subscriptionId);
  if (!subscription || subscription.appliedChanges.includes(invoice.id)) return;
  const { change, nextDueAt } = subscription;
  // Ended: the money becomes credits.
  if (change?.invoiceId !== invoice.id) return refundItem(deps, invoice, line, item);
  const at = deps.clock();
  const span = { start: item.periodStart ?? at, end: nextDueAt ?? at };
  const paid = nextDueAt ? [...currentPeriods(subscription, at), paidPeriodOf(invoice, line, span)] : [];
  const [next] = unitsOfChange(change);
  const changed = await deps.subscriptions.changeIf(
    subscription.id,
    { changeInvoiceId: invoice.id },
    {
      set: {
        ...termsOfChange(subscription, change),
        change: null,
        unit: next ?? subscription.unit,
        paid,
        appliedChanges: [...subscription.appliedChanges, invoice.id].slice(-rememberedChanges),
      },
      returnUnits: next ? [subscription.unit] : [],
      syncAt: at,
    },
  );
  if (!changed) throw fail('SERVICE_CHANGED', 'the service has just changed', { serviceId: subscription.id });
}

/** Once per payment. */
async function creditOverpayment(deps: InvoicingDeps, invoice: InvoiceRecord): Promise<void> {
  let open = invoice.status === 'void' ? 0 : invoice.totalMinor;
  if (paidMinor(invoice) <= open) return;
  for (const { id, method, amountMinor } of invoice.payments) {
    if (amountMinor <= 0) continue;
    const excess = amountMinor - Math.min(open, amountMinor);
    open -= amountMinor - excess;
    if (excess === 0) continue;
    const excessEntry: CreditEntry = {
      id: derivedId(invoice.id, `excess ${id}`),
      userId: invoice.userId,
      currency: invoice.currency,
      amountMinor: excess,
      reason: 'overpayment',
      note: '',
      reference: invoice.id,
      against: accounts.receivable(invoice.id),
      createdAt: deps.clock(),
    };
    await deps.credits.post(excessEntry, await destinationOf(deps, excessEntry, method, id));
  }
}

/** What came from credits returns to their lots, the last ones taken first. */
async function destinationOf(
  { credits }: InvoicingDeps,
  { userId, currency, amountMinor }: CreditEntry,
  method: string,
  paymentId: string,
): Promise<MoveOptions> {
  const spent = method === 'credits' ? await credits.find(paymentId, userId, currency) : null;
  const parts = takeParts(spent?.lots?.toReversed() ?? [], amountMinor);
  return sumOf(parts) === amountMinor ? { into: parts } : {};
}
