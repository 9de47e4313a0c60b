import { randomUUID } from 'node:crypto';
import { invalidFields, isAppError, isUnavailable, messageOf, fieldProblem } from '@panel/kit/errors';
import { derivedId } from '@panel/rpc';
import { mailEntry } from '../domain/mail.js';
import type { CreditEntry, CreditLot } from '../domain/credit.js';
import { dropParts, sumOf, takeParts } from '../domain/credit-lots.js';
import type { InvoicePayment, InvoiceRecord, InvoiceRefund } from '../domain/invoice.js';
import { accounts } from '../domain/journal.js';
import { gatewayPartOf } from '../domain/refund-parts.js';
import type { SubscriptionDeps } from '../subscriptions/dependencies.js';
import { isPaidBy } from '../domain/subscription.js';
import { creditNoteOf } from '../domain/credit-note.js';
import { endSubscription } from '../subscriptions/end-subscription.js';
import { subscriptionIdsOf } from '../subscriptions/paid-by.js';
import { isOfCredits, type RefundInput, startRefund, startRemainingRefund } from '../invoicing/start-refund.js';

/**
 * Idempotent by id. Stored first, within the refundable sum; money, credit note and subscriptions follow once each.
 * Throws INVOICE_NOT_PAID, INVALID_FIELDS.
 */
export async function refundInvoice(
  deps: SubscriptionDeps,
  invoiceId: string,
  input: RefundInput,
  idempotencyId: string = randomUUID(),
): Promise<{ readonly invoice: InvoiceRecord; readonly creditNote: InvoiceRecord | null }> {
  const started = await startRefund(deps, invoiceId, input, idempotencyId);
  const refund = started.refunds.find(({ id }) => id === idempotencyId);
  if (refund && (await finishRefund(deps, started, refund)) === 'failed') {
    throw invalidFields({
      amount: [fieldProblem('insufficient', 'is more than what is left of the credits that were bought')],
    });
  }
  return {
    invoice: (await deps.invoices.get(invoiceId)) ?? started,
    creditNote: refund ? await deps.invoices.get(refund.creditNoteId) : null,
  };
}

/** As `refundInvoice`, of what remains of the amount; nothing where nothing does. */
export async function refundRemaining(
  deps: SubscriptionDeps,
  invoiceId: string,
  input: RefundInput,
  refundId: string,
): Promise<void> {
  const started = await startRemainingRefund(deps, invoiceId, input, refundId);
  const refund = started?.refunds.find(({ id }) => id === refundId);
  if (started && refund) await finishRefund(deps, started, refund);
}

/** Idempotent; throws when the gateway is unavailable. */
export async function finishRefund(
  deps: SubscriptionDeps,
  invoice: InvoiceRecord,
  refund: InvoiceRefund,
): Promise<'done' | 'failed'> {
  if (refund.state !== 'pending') return refund.state;
  const { invoices, numbers, failpoint, clock } = deps;
  if (!(await takeBackCredits(deps, invoice, refund))) {
    await invoices.failRefund(invoice.id, refund, 'the credits were spent');
    return 'failed';
  }
  failpoint('refund.started');
  if (refund.cancelSubscriptions) await endSubscriptions(deps, invoice, refund);
  if (refund.origin === 'operator') await returnMoney(deps, invoice, refund);
  failpoint('refund.returned');
  await invoices.insertIfAbsent(creditNoteOf(invoice, refund));
  failpoint('refund.noted');
  await numbers.assign('credit_note', refund.creditNoteId);
  const { creditNoteId } = refund;
  const mail = mailEntry(invoice.id, 'invoice_refunded', clock(), refund.id, { creditNoteId });
  await invoices.changeIf(invoice.id, {}, { set: {}, mail });
  await invoices.endRefund(invoice.id, refund.id);
  return 'done';
}

/** A lost dispute ends what the invoice still pays for. */
async function endSubscriptions(deps: SubscriptionDeps, invoice: InvoiceRecord, { origin }: InvoiceRefund) {
  const found = await deps.subscriptions.getMany([...(await subscriptionIdsOf(deps, invoice))]);
  for (const subscription of found)
    if (origin !== 'dispute' || isPaidBy(subscription, invoice.id, deps.clock()))
      await endSubscription(deps, subscription.id, 'terminated', origin === 'dispute' ? 'dispute' : 'operator');
}

/**
 * Bought credits before their money, all or none: false when they are spent. For money that a gateway has given back what
 * was spent of them becomes a debt. After a dispute `applyDispute` takes them.
 */
async function takeBackCredits(
  deps: SubscriptionDeps,
  invoice: InvoiceRecord,
  refund: InvoiceRefund,
): Promise<boolean> {
  if (!isOfCredits(invoice) || refund.origin === 'dispute') return true;
  const { credits, clock } = deps;
  const entry = {
    id: derivedId(refund.id, 'take back'),
    userId: invoice.userId,
    currency: invoice.currency,
    reason: 'reversal' as const,
    note: refund.reason,
    reference: invoice.id,
    against: accounts.sales(invoice.id),
    createdAt: clock(),
  };
  const mayOwe = refund.origin === 'gateway';
  const taken = { ...entry, amountMinor: -refund.amountMinor };
  if ((await credits.post(taken, { mayOwe, of: invoice.id })) === 'insufficient') {
    // A mark blocks a late posting.
    await credits.post({ ...entry, amountMinor: 0 });
  }
  const posted = await credits.find(entry.id, entry.userId, entry.currency);
  return posted?.amountMinor === -refund.amountMinor;
}

/** What came by a gateway goes back there first, the rest to the credits. */
async function returnMoney(deps: SubscriptionDeps, invoice: InvoiceRecord, refund: InvoiceRefund): Promise<void> {
  const payment = invoice.payments.find(({ amountMinor, method }) => amountMinor > 0 && deps.gateways.has(method));
  const partMinor = payment ? gatewayPartOf(invoice, refund, payment) : 0;
  const isSent = payment !== undefined && partMinor > 0 && (await sendBack(deps, invoice, refund, payment, partMinor));
  const amountMinor = refund.amountMinor - (isSent ? partMinor : 0);
  if (amountMinor === 0) return;
  const entry = {
    id: derivedId(refund.id, 'credits'),
    userId: invoice.userId,
    currency: invoice.currency,
    amountMinor,
    reason: 'refund' as const,
    note: refund.reason,
    reference: invoice.id,
    against: accounts.receivable(invoice.id),
    createdAt: deps.clock(),
  };
  await deps.credits.post(entry, { into: await lotsOf(deps, invoice, refund, entry) });
}

/**
 * What credits have paid goes back to their lots, the last ones taken first, after what earlier refunds have given back. The
 * rest is a new lot of the invoice's other payments. The same at each repetition.
 */
async function lotsOf(
  { credits }: SubscriptionDeps,
  { id: reference, userId, currency, payments, refunds }: InvoiceRecord,
  refund: InvoiceRefund,
  { id, amountMinor, createdAt: openedAt }: CreditEntry,
): Promise<CreditLot[]> {
  const entryOf = async (entryId: string) => credits.find(entryId, userId, currency);
  const spent = await Promise.all(
    payments.filter(({ method }) => method === 'credits').map(async (one) => entryOf(one.id)),
  );
  const earlier = refunds.slice(
    0,
    refunds.findIndex((one) => one.id === refund.id),
  );
  const given = await Promise.all(earlier.map(async (one) => entryOf(derivedId(one.id, 'credits'))));
  const before = given.reduce((sum, entry) => sum + (entry?.amountMinor ?? 0), 0);
  const drawn = spent.flatMap((entry) => entry?.lots ?? []).toReversed();
  const rest = dropParts(drawn, before);
  const parts = takeParts(rest, amountMinor);
  const newMinor = amountMinor - sumOf(parts);
  const isMoney = payments.some(({ method }) => method !== 'credits');
  const source = isMoney ? ('payment' as const) : ('correction' as const);
  return newMinor === 0 ? parts : [...parts, { id, source, reference, openedAt, amountMinor: newMinor }];
}

/** False: refused for good. Throws while the gateway is unavailable. */
async function sendBack(
  { gateways, invoices, log }: SubscriptionDeps,
  invoice: InvoiceRecord,
  refund: InvoiceRefund,
  payment: InvoicePayment,
  amountMinor: number,
): Promise<boolean> {
  try {
    const result = await gateways.get(payment.method)?.refund({
      invoiceId: invoice.id,
      gatewayReference: payment.reference,
      amount: { amountMinor, currency: invoice.currency },
      idempotencyKey: refund.id,
    });
    if (result) await invoices.setRefundReference(invoice.id, refund.id, result.refundReference);
    return true;
  } catch (error) {
    if (!isAppError(error) || isUnavailable(error)) throw error;
    // Permanent: the customer gets credits.
    log.error({ err: error, invoiceId: invoice.id }, `a gateway refused a refund: ${messageOf(error)}`);
    return false;
  }
}
