import { derivedId } from '@panel/rpc';
import type { CreditEntry } from '../domain/credit.js';
import { type InvoiceDispute, type InvoiceRecord, paidMinor } from '../domain/invoice.js';
import type { PaymentEvent } from '../domain/payment.js';
import { undisputedPart } from '../domain/paid-period.js';
import { isOfCredits } from '../invoicing/start-refund.js';
import { cancelEntry } from '../ledger/cancel-entry.js';
import { refundRemaining } from '../refunds/refund-invoice.js';
import { suspendDebtor } from '../subscriptions/lift-debts.js';
import { subscriptionIdsOf, subscriptionsPaidBy } from '../subscriptions/paid-by.js';
import { liftSuspension, suspendSubscription } from '../subscriptions/suspend-subscription.js';
import type { PaymentEventDeps } from './dependencies.js';
import { loadInvoice } from './load-invoice.js';
import { isDisputed } from './is-disputed.js';
import { fail } from '../reasons.js';
import { accounts } from '../domain/journal.js';

type Disputed = Extract<PaymentEvent, { type: 'disputed' }>;

/**
 * Open: what the payment has bought is suspended, and its unspent credits are held. Won: both are given back. Lost: the
 * unused part is refunded and ends, the spent part is a debt. Messages after the end have no effect. Idempotent.
 */
export async function applyDispute(deps: PaymentEventDeps, method: string, event: Disputed): Promise<void> {
  const { disputeReference: reference, outcome } = event;
  const invoice = await loadInvoice(deps, event.invoiceId);
  const known = invoice.disputes.find((dispute) => dispute.reference === reference);
  if (outcome === 'open' && known) return;
  // Before it is noted: what is known is not applied again.
  if (outcome === 'open') await open(deps, invoice, event);
  if (outcome === 'lost') await takeMoney(deps, invoice, event);
  const others = invoice.disputes.filter((dispute) => dispute.reference !== reference);
  const { amountMinor } = event.amount;
  const dispute: InvoiceDispute = { reference, outcome, at: event.occurredAt, amountMinor, method };
  await deps.invoices.changeIf(invoice.id, {}, { set: { disputes: [...others, dispute] } });
  if (outcome === 'won') await cancelEntry(deps.credits, holdOf(invoice, event, deps.clock()), deps.clock());
  if (outcome !== 'open') await release(deps, invoice);
}

async function open(deps: PaymentEventDeps, invoice: InvoiceRecord, event: Disputed): Promise<void> {
  await deps.credits.post(holdOf(invoice, event, deps.clock()), { of: invoice.id, isAtMost: true });
  deps.failpoint('dispute.held');
  for (const subscription of await subscriptionsPaidBy(deps, invoice))
    await suspendSubscription(deps, subscription, 'dispute');
}

/** Of credits that came of the disputed payment. */
function holdOf(invoice: InvoiceRecord, { disputeReference, amount }: Disputed, at: Date): CreditEntry {
  return {
    id: derivedId(invoice.id, `dispute hold ${disputeReference}`),
    userId: invoice.userId,
    currency: invoice.currency,
    amountMinor: -amount.amountMinor,
    reason: 'dispute',
    note: '',
    reference: invoice.id,
    // Bought credits are owed to the customer again.
    against: isOfCredits(invoice) ? accounts.sales(invoice.id) : accounts.disputed(invoice.id),
    createdAt: at,
  };
}

/** Throws PAYMENT_MISMATCH for another currency, or more than the invoice has. */
async function takeMoney(deps: PaymentEventDeps, invoice: InvoiceRecord, event: Disputed): Promise<void> {
  const { credits, invoices, clock } = deps;
  const { amount, disputeReference: reference } = event;
  const most = Math.max(invoice.totalMinor, paidMinor(invoice));
  if (amount.currency !== invoice.currency || amount.amountMinor > most)
    throw fail('PAYMENT_MISMATCH', 'a gateway has given back more than this invoice has', { invoiceId: invoice.id });
  const refundId = derivedId(invoice.id, `gateway refund ${reference}`);
  const input = {
    amountMinor: Math.min(amount.amountMinor, await unusedOf(deps, invoice)),
    destination: 'original' as const,
    reason: 'dispute lost',
    cancelSubscriptions: true,
    reported: { reference, origin: 'dispute' as const },
  };
  await refundRemaining(deps, invoice.id, input, refundId);
  deps.failpoint('dispute.refunded');
  // A repetition finds the first one's amount.
  const refund = (await invoices.get(invoice.id))?.refunds.find(({ id }) => id === refundId);
  const spentMinor = amount.amountMinor - (isOfCredits(invoice) ? 0 : (refund?.amountMinor ?? 0));
  const hold = holdOf(invoice, event, clock());
  const held = await credits.find(hold.id, hold.userId, hold.currency);
  const heldMinor = -(held?.amountMinor ?? 0);
  if (heldMinor > spentMinor) await cancelEntry(credits, hold, clock());
  const openMinor = heldMinor > spentMinor ? spentMinor : spentMinor - heldMinor;
  const taken = { ...hold, id: derivedId(invoice.id, `dispute lost ${reference}`), amountMinor: 0 - openMinor };
  await credits.post(taken, { of: invoice.id, mayOwe: true });
  await suspendDebtor(deps, invoice);
}

/** What was not delivered yet: credits wholly, time from now on, or from the suspension for the dispute. */
async function unusedOf(deps: PaymentEventDeps, invoice: InvoiceRecord): Promise<number> {
  if (isOfCredits(invoice)) return invoice.totalMinor;
  const bought = await deps.subscriptions.getMany([...(await subscriptionIdsOf(deps, invoice))]);
  // Bought once for ever: without time that could be used.
  if (bought.some(({ nextDueAt }) => nextDueAt === null)) return invoice.totalMinor;
  const parts = bought.flatMap((subscription) => {
    const { paid = [], endedAt, suspendedAt, suspendReasons } = subscription;
    const at = endedAt ?? (suspendReasons.includes('dispute') ? suspendedAt : null) ?? deps.clock();
    return paid
      .filter(({ invoiceId }) => invoiceId === invoice.id)
      .map((period) => undisputedPart(period, invoice, at).totalMinor);
  });
  return parts.reduce((sum, totalMinor) => sum + totalMinor, 0);
}

/** Each stays suspended while another dispute is about it. */
async function release(deps: PaymentEventDeps, { userId }: InvoiceRecord): Promise<void> {
  for await (const subscription of deps.subscriptions.suspendedFor('dispute', userId))
    if (!(await isDisputed(deps, subscription))) await liftSuspension(deps, subscription.id, 'dispute');
}
