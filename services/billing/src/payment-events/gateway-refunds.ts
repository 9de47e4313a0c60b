import { derivedId } from '@panel/rpc';
import type { InvoiceDispute, InvoiceRecord } from '../domain/invoice.js';
import type { PaymentEventDeps } from './dependencies.js';
import type { Money, PaymentEvent } from '../domain/payment.js';
import { fail } from '../reasons.js';
import { refundInvoice, subscriptionIdsOf } from '../refunds/refund-invoice.js';
import { liftSuspension, suspendSubscription } from '../subscriptions/suspend-subscription.js';

interface GatewayRefund {
  /** Reference at the gateway. */
  readonly reference: string;
  /** Subscriptions end. */
  readonly isDispute: boolean;
}

/**
 * Own refunds match by reference, others get a credit note; mismatches need an operator. Throws INVOICE_BUSY during an
 * own refund, PAYMENT_MISMATCH.
 */
export async function bookGatewayRefund(
  deps: PaymentEventDeps,
  invoiceId: string,
  { amount }: { readonly amount: Money },
  { reference, isDispute }: GatewayRefund,
): Promise<void> {
  const invoice = await loadInvoice(deps, invoiceId);
  if (invoice.refunds.some((refund) => refund.reference === reference && refund.state === 'done')) return;
  const isOnItsWay = ({ state, origin }: InvoiceRecord['refunds'][number]) =>
    state === 'pending' && origin === 'operator';
  if (invoice.refunds.some(isOnItsWay)) throw fail('INVOICE_BUSY', 'a refund of this invoice is on its way');
  const id = derivedId(invoice.id, `gateway refund ${reference}`);
  const isStarted = invoice.refunds.some((refund) => refund.id === id);
  const most = invoice.status === 'paid' ? invoice.totalMinor - invoice.refundedMinor : 0;
  if (!isStarted && (amount.currency !== invoice.currency || amount.amountMinor > most)) {
    throw fail('PAYMENT_MISMATCH', 'a gateway has given back more than this invoice has', { invoiceId });
  }
  const input = {
    amountMinor: amount.amountMinor,
    destination: 'original' as const,
    reason: isDispute ? 'dispute lost' : 'refunded at the gateway',
    cancelSubscriptions: isDispute,
    gatewayReference: reference,
  };
  await refundInvoice(deps, invoiceId, input, id);
}

/**
 * Suspends the subscriptions; a won dispute resumes them, a lost one is a refund that ends them. Later messages have no
 * effect.
 */
export async function applyDispute(
  deps: PaymentEventDeps,
  event: Extract<PaymentEvent, { type: 'disputed' }>,
): Promise<void> {
  const { disputeReference: reference, outcome } = event;
  const invoice = await loadInvoice(deps, event.invoiceId);
  const known = invoice.disputes.find((dispute) => dispute.reference === reference);
  if (outcome === 'open' && known) return;
  if (outcome === 'lost') await bookGatewayRefund(deps, invoice.id, event, { reference, isDispute: true });
  // Before it is noted: what is known is not applied again.
  if (outcome === 'open') await suspendSubscriptions(deps, invoice);
  const others = invoice.disputes.filter((dispute) => dispute.reference !== reference);
  const dispute: InvoiceDispute = { reference, outcome, at: event.occurredAt };
  await deps.invoices.changeIf(invoice.id, {}, { set: { disputes: [...others, dispute] } });
  if (outcome === 'won') await releaseSubscriptions(deps, invoice);
}

async function suspendSubscriptions(deps: PaymentEventDeps, invoice: InvoiceRecord): Promise<void> {
  for (const id of await subscriptionIdsOf(deps, invoice)) {
    const subscription = await deps.subscriptions.get(id);
    if (subscription?.status === 'active' || subscription?.status === 'suspended')
      await suspendSubscription(deps, subscription, 'dispute');
  }
}

async function releaseSubscriptions(deps: PaymentEventDeps, invoice: InvoiceRecord): Promise<void> {
  for (const id of await subscriptionIdsOf(deps, invoice)) await liftSuspension(deps, id, 'dispute');
}

async function loadInvoice({ invoices }: PaymentEventDeps, invoiceId: string): Promise<InvoiceRecord> {
  const invoice = await invoices.get(invoiceId);
  if (!invoice) throw fail('INVOICE_NOT_FOUND', 'a payment names an invoice that is not there');
  return invoice;
}
