import { randomUUID } from 'node:crypto';
import { invalidFields, isAppError, isUnavailable, messageOf, fieldProblem } from '@panel/kit/errors';
import { derivedId } from '@panel/rpc';
import { mailEntry } from '../domain/mail.js';
import type { InvoiceRecord, InvoiceRefund } from '../domain/invoice.js';
import type { SubscriptionDeps } from '../subscriptions/dependencies.js';
import { creditNoteOf } from '../domain/credit-note.js';
import { fail } from '../reasons.js';
import { endSubscription } from '../subscriptions/end-subscription.js';
import { isOfCredits, type RefundInput, startRefund } from '../invoicing/start-refund.js';

const maxTries = 20;

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

/** Idempotent; throws when the gateway is unavailable. */
export async function finishRefund(
  deps: SubscriptionDeps,
  invoice: InvoiceRecord,
  refund: InvoiceRefund,
): Promise<'done' | 'failed'> {
  if (refund.state !== 'pending') return refund.state;
  const { invoices, numbers, failpoint, clock } = deps;
  const missingMinor = await takeBackCredits(deps, invoice, refund);
  if (missingMinor > 0 && refund.origin === 'operator') {
    await invoices.failRefund(invoice.id, refund, 'the credits were spent');
    return 'failed';
  }
  failpoint('refund.started');
  if (refund.cancelSubscriptions) await endSubscriptions(deps, invoice);
  if (refund.origin === 'operator') await returnMoney(deps, invoice, refund);
  failpoint('refund.returned');
  await invoices.insertIfAbsent(creditNoteOf(invoice, refund));
  failpoint('refund.noted');
  await numbers.assign('credit_note', refund.creditNoteId);
  await invoices.changeIf(
    invoice.id,
    {},
    { set: {}, mail: mailEntry(invoice.id, 'invoice_refunded', clock(), refund.id) },
  );
  await invoices.endRefund(invoice.id, refund.id, missingMinor === 0 ? '' : `credits of ${missingMinor} were spent`);
  return 'done';
}

async function endSubscriptions(deps: SubscriptionDeps, invoice: InvoiceRecord): Promise<void> {
  for (const id of await subscriptionIdsOf(deps, invoice)) await endSubscription(deps, id, 'terminated');
}

export async function subscriptionIdsOf(
  { subscriptions }: Pick<SubscriptionDeps, 'subscriptions'>,
  invoice: InvoiceRecord,
): Promise<ReadonlySet<string>> {
  const ids = new Set(invoice.items.map(({ subscriptionId }) => subscriptionId).filter((id) => id !== ''));
  const bought = invoice.orderId === '' ? [] : await subscriptions.ofOrder(invoice.orderId);
  for (const { id } of bought) ids.add(id);
  return ids;
}

/**
 * Credits before their money; returns the spent amount. For money already returned takes the rest, else all or none.
 */
async function takeBackCredits(deps: SubscriptionDeps, invoice: InvoiceRecord, refund: InvoiceRefund): Promise<number> {
  if (!isOfCredits(invoice)) return 0;
  const { credits, clock } = deps;
  const entry = {
    id: derivedId(refund.id, 'take back'),
    userId: invoice.userId,
    currency: invoice.currency,
    reason: 'reversal' as const,
    note: refund.reason,
    reference: invoice.id,
    createdAt: clock(),
  };
  for (let tries = 0; tries < maxTries; tries++) {
    const balance = await credits.balance(invoice.userId, invoice.currency);
    const isPart = refund.origin === 'gateway' || balance >= refund.amountMinor;
    // A mark blocks a late posting.
    const amountMinor = isPart ? Math.min(balance, refund.amountMinor) : 0;
    if ((await credits.post({ ...entry, amountMinor: -amountMinor })) === 'insufficient') continue;
    const posted = await credits.find(entry.id, entry.userId, entry.currency);
    return refund.amountMinor + (posted?.amountMinor ?? 0);
  }
  throw fail('INVOICE_BUSY', 'the balance changes too fast');
}

async function returnMoney(deps: SubscriptionDeps, invoice: InvoiceRecord, refund: InvoiceRefund): Promise<void> {
  const { credits, gateways, log } = deps;
  const payment = invoice.payments.find(({ amountMinor, method }) => amountMinor > 0 && gateways.has(method));
  if (refund.destination === 'original' && payment && payment.amountMinor >= refund.amountMinor) {
    try {
      const result = await gateways.get(payment.method)?.refund({
        invoiceId: invoice.id,
        gatewayReference: payment.reference,
        amount: { amountMinor: refund.amountMinor, currency: invoice.currency },
        idempotencyKey: refund.id,
      });
      if (result) await deps.invoices.setRefundReference(invoice.id, refund.id, result.refundReference);
      return;
    } catch (error) {
      if (!isAppError(error) || isUnavailable(error)) throw error;
      // Permanent: the customer gets credits.
      log.error({ err: error, invoiceId: invoice.id }, `a gateway refused a refund: ${messageOf(error)}`);
    }
  }
  await credits.post({
    id: derivedId(refund.id, 'credits'),
    userId: invoice.userId,
    currency: invoice.currency,
    amountMinor: refund.amountMinor,
    reason: 'refund',
    note: refund.reason,
    reference: invoice.id,
    createdAt: deps.clock(),
  });
}
