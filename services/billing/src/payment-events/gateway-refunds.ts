import { derivedId } from '@panel/rpc';
import type { InvoiceRecord } from '../domain/invoice.js';
import type { PaymentEventDeps } from './dependencies.js';
import type { PaymentEvent } from '../domain/payment.js';
import { fail } from '../reasons.js';
import { isOfCredits } from '../invoicing/start-refund.js';
import { refundInvoice } from '../refunds/refund-invoice.js';
import { suspendDebtor } from '../subscriptions/lift-debts.js';
import { loadInvoice } from './load-invoice.js';

/**
 * Own refunds match by reference, others get a credit note; mismatches need an operator. Throws INVOICE_BUSY during an
 * own refund, PAYMENT_MISMATCH.
 */
export async function bookGatewayRefund(
  deps: PaymentEventDeps,
  { invoiceId, amount, refundReference: reference }: Extract<PaymentEvent, { type: 'refunded' }>,
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
    reason: 'refunded at the gateway',
    cancelSubscriptions: false,
    reported: { reference, origin: 'gateway' as const },
  };
  await refundInvoice(deps, invoiceId, input, id);
  if (isOfCredits(invoice)) await suspendDebtor(deps, invoice);
}
