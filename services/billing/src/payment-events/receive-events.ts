import { messageOf } from '@panel/kit/errors';
import { derivedId } from '@panel/rpc';
import { mailEntry } from '../domain/mail.js';
import type { PaymentEvent, StoredEvent } from '../domain/payment.js';
import type { PaymentEventDeps } from './dependencies.js';
import { isPayable, payableStatuses } from '../domain/invoice.js';
import { fail } from '../reasons.js';
import { applyDispute } from './disputes.js';
import { bookGatewayRefund } from './gateway-refunds.js';
import { recordPayment } from '../invoicing/record-payment.js';

/** Applies each event once. All are stored first: a crash, or one that cannot be applied, loses no other. */
export async function receiveEvents(
  deps: PaymentEventDeps,
  gateway: string,
  events: readonly PaymentEvent[],
): Promise<void> {
  const open: StoredEvent[] = [];
  for (const event of events) {
    const stored = await deps.paymentEvents.receive(gateway, event, deps.clock());
    deps.failpoint('webhook.stored');
    if (stored) open.push(stored);
  }
  for (const stored of open) await applyStored(deps, stored);
}

/** Resumes interrupted events. */
export async function recoverEvents(deps: PaymentEventDeps, signal: AbortSignal): Promise<void> {
  const before = new Date(deps.clock().getTime() - 10_000);
  for (const stored of await deps.paymentEvents.open(before, 50)) {
    if (signal.aborted) return;
    try {
      await applyStored(deps, stored);
    } catch (error) {
      await deps.paymentEvents.failed(stored.id, messageOf(error));
      deps.log.error({ err: error, eventId: stored.id }, 'an event of a payment gateway could not be applied');
    }
  }
}

async function applyStored(deps: PaymentEventDeps, { id, gateway, event }: StoredEvent): Promise<void> {
  await applyEvent(deps, gateway, event);
  deps.failpoint('webhook.applied');
  await deps.paymentEvents.applied(id, deps.clock());
}

async function applyEvent(deps: PaymentEventDeps, gateway: string, event: PaymentEvent): Promise<void> {
  switch (event.type) {
    case 'paid':
      return applyPaid(deps, gateway, event);
    case 'pending':
      return applyPending(deps, gateway, event);
    case 'failed':
      return applyFailed(deps, event);
    case 'refunded':
      return bookGatewayRefund(deps, event);
    case 'disputed':
      return applyDispute(deps, gateway, event);
    case 'method_saved':
      await deps.storedMethods.insertIfAbsent({
        id: derivedId(event.customerId, `${gateway} ${event.method.methodReference}`),
        userId: event.customerId,
        gateway,
        ...event.method,
        label: event.label,
        createdAt: deps.clock(),
      });
  }
}

/** Money in another currency is never booked: an operator checks it. */
async function applyPaid(
  deps: PaymentEventDeps,
  gateway: string,
  event: Extract<PaymentEvent, { type: 'paid' }>,
): Promise<void> {
  const invoice = await deps.invoices.get(event.invoiceId);
  if (!invoice) throw fail('INVOICE_NOT_FOUND', 'a payment names an invoice that is not there');
  const { amountMinor, currency } = event.amount;
  if (currency !== invoice.currency || !Number.isSafeInteger(amountMinor) || amountMinor <= 0) {
    throw fail('PAYMENT_MISMATCH', 'a payment is in another currency than its invoice', { invoiceId: invoice.id });
  }
  await recordPayment(deps, invoice.id, {
    id: `${gateway}:${event.gatewayReference}`,
    method: gateway,
    amountMinor,
    reference: event.gatewayReference,
    at: event.occurredAt,
    ...(event.cardCountry === undefined ? {} : { cardCountry: event.cardCountry }),
  });
}

async function applyFailed(deps: PaymentEventDeps, event: Extract<PaymentEvent, { type: 'failed' }>): Promise<void> {
  const invoice = await deps.invoices.get(event.invoiceId);
  if (!invoice || !isPayable(invoice)) return;
  const mail = mailEntry(invoice.id, 'payment_failed', deps.clock(), event.eventId);
  const { pendingPayment } = invoice;
  const isIt = pendingPayment?.reference === event.gatewayReference;
  const ended = isIt ? { set: { pendingPayment: null } } : {};
  await deps.invoices.changeIf(invoice.id, { status: payableStatuses }, { mail, ...ended });
}

/** Shown, and no other one is begun beside it. */
async function applyPending(
  { invoices }: PaymentEventDeps,
  method: string,
  { invoiceId, gatewayReference: reference, amount: { amountMinor }, occurredAt: at }: PaymentEvent,
): Promise<void> {
  const invoice = await invoices.get(invoiceId);
  if (!invoice || invoice.pendingPayment?.reference === reference) return;
  const pendingPayment = { key: '', methodId: '', method, amountMinor, reference, at };
  await invoices.changeIf(invoiceId, { status: payableStatuses }, { set: { pendingPayment } });
}
