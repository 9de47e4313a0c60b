import type { BillingContext } from '../../context.js';
import { isPayable } from '../../domain/invoice.js';
import type { Checkout } from '../../models/checkout.js';
import { receiveEvents } from './apply-payment-event.js';
import { nextCheckAt } from './checkout-checks.js';

const leaseMs = 5 * 60_000;

/** Ask gateways how payments stand whose webhook has not come. Each is asked by one replica at a time. */
export async function confirmCheckouts(context: BillingContext, signal: AbortSignal): Promise<void> {
  const { checkouts, clock } = context;
  while (!signal.aborted) {
    const now = clock();
    const checkout = await checkouts.claim(now, new Date(now.getTime() + leaseMs));
    if (!checkout) return;
    // What fails is asked for again when its lease ends.
    await context.attempt('confirm-checkouts', checkout.invoiceId, async () => confirm(context, checkout));
  }
}

async function confirm(context: BillingContext, checkout: Checkout): Promise<void> {
  const gateway = context.gateways.get(checkout.gateway);
  const invoice = await context.invoices.get(checkout.invoiceId);
  // Also of an invoice that is paid: it may have been paid twice.
  if (gateway) await receiveEvents(context, checkout.gateway, await gateway.confirmCheckout(checkout.reference));
  const after = await context.invoices.get(checkout.invoiceId);
  const isDone = !gateway || !after || (invoice && isPayable(invoice) && !isPayable(after));
  await context.checkouts.schedule(checkout, isDone ? null : nextCheckAt(checkout.createdAt, checkout.checks));
}
