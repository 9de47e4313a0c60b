import type { InvoicePayment, InvoiceRecord, InvoiceRefund } from './invoice.js';

/** What a refund returns to the gateway of a payment: refunds take from it in their order. The same at each repetition. */
export function gatewayPartOf(
  { refunds }: Pick<InvoiceRecord, 'refunds'>,
  refund: InvoiceRefund,
  { amountMinor: paidMinor }: Pick<InvoicePayment, 'amountMinor'>,
): number {
  if (refund.destination !== 'original') return 0;
  const before = refunds
    .slice(
      0,
      refunds.findIndex(({ id }) => id === refund.id),
    )
    .filter(({ destination, state }) => destination === 'original' && state !== 'failed');
  const takenMinor = before.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
  return Math.max(0, Math.min(refund.amountMinor, paidMinor - takenMinor));
}
