import { messageOf } from '@panel/kit/errors';
import { derivedId } from '@panel/rpc';
import type { BillingContext } from '../../context.js';
import { isPayable, payableStatuses } from '../../domain/invoice.js';
import type { PaymentEvent } from '../../domain/payment.js';
import type { StoredEvent } from '../../models/payment-event.js';
import { fail } from '../../reasons.js';
import { applyDispute, bookGatewayRefund } from './gateway-refunds.js';
import { recordPayment } from '../invoices/record-payment.js';
import { mailEntry } from '../mail/mail-entry.js';

/**
 * Apply what a gateway reported, each event once: stored first, so that a process that dies while applying it does not
 * lose it.
 */
export async function receiveEvents(
  context: BillingContext,
  gateway: string,
  events: readonly PaymentEvent[],
): Promise<void> {
  for (const event of events) {
    const stored = await context.paymentEvents.receive(gateway, event, context.clock());
    context.failpoint('webhook.stored');
    if (stored) await applyStored(context, stored);
  }
}

/** Events whose application was cut short. */
export async function recoverEvents(context: BillingContext, signal: AbortSignal): Promise<void> {
  const before = new Date(context.clock().getTime() - 10_000);
  for (const stored of await context.paymentEvents.open(before, 50)) {
    if (signal.aborted) return;
    try {
      await applyStored(context, stored);
    } catch (error) {
      await context.paymentEvents.failed(stored.id, messageOf(error));
      context.log.error({ err: error, eventId: stored.id }, 'an event of a payment gateway could not be applied');
    }
  }
}

async function applyStored(context: BillingContext, { id, gateway, event }: StoredEvent): Promise<void> {
  await applyEvent(context, gateway, event);
  context.failpoint('webhook.applied');
  await context.paymentEvents.applied(id, context.clock());
}

async function applyEvent(context: BillingContext, gateway: string, event: PaymentEvent): Promise<void> {
  switch (event.type) {
    case 'paid':
      return applyPaid(context, gateway, event);
    case 'failed':
      return applyFailed(context, event);
    case 'refunded':
      return bookGatewayRefund(context, event.invoiceId, event, { reference: event.refundReference, isDispute: false });
    case 'disputed':
      return applyDispute(context, event);
    case 'method_saved':
      await context.storedMethods.insertOnce({
        id: derivedId(event.customerId, `${gateway} ${event.method.methodReference}`),
        userId: event.customerId,
        gateway,
        ...event.method,
        label: event.label,
        createdAt: context.clock(),
      });
  }
}

/** Money in another currency than the invoice's is never booked on it: an operator has to check it. */
async function applyPaid(
  context: BillingContext,
  gateway: string,
  event: Extract<PaymentEvent, { type: 'paid' }>,
): Promise<void> {
  const invoice = await context.invoices.get(event.invoiceId);
  if (!invoice) throw fail('INVOICE_NOT_FOUND', 'a payment names an invoice that is not there');
  const { amountMinor, currency } = event.amount;
  if (currency !== invoice.currency || !Number.isSafeInteger(amountMinor) || amountMinor <= 0) {
    throw fail('PAYMENT_MISMATCH', 'a payment is in another currency than its invoice', { invoiceId: invoice.id });
  }
  await recordPayment(context, invoice.id, {
    id: `${gateway}:${event.gatewayReference}`,
    method: gateway,
    amountMinor,
    reference: event.gatewayReference,
    at: event.occurredAt,
  });
}

async function applyFailed(context: BillingContext, event: Extract<PaymentEvent, { type: 'failed' }>): Promise<void> {
  const invoice = await context.invoices.get(event.invoiceId);
  if (!invoice || !isPayable(invoice)) return;
  const mail = mailEntry(invoice.id, 'payment_failed', context.clock(), event.eventId);
  await context.invoices.changeIf(invoice.id, { status: payableStatuses }, { mail });
}
