import type { BillingContext } from '../../context.js';
import { isPayable } from '../../domain/invoice.js';
import type { PaymentSession } from '../../models/payment-session.js';
import { receiveEvents } from './apply-payment-event.js';
import { nextCheckAt } from './session-checks.js';

const leaseMs = 5 * 60_000;

/** Ask gateways how payments stand whose webhook has not come. Each is asked by one replica at a time. */
export async function confirmPaymentSessions(context: BillingContext, signal: AbortSignal): Promise<void> {
  const { paymentSessions, clock } = context;
  while (!signal.aborted) {
    const now = clock();
    const session = await paymentSessions.claim(now, new Date(now.getTime() + leaseMs));
    if (!session) return;
    // What fails is asked for again when its lease ends.
    await context.attempt('confirm-payment-sessions', session.invoiceId, async () => confirm(context, session));
  }
}

async function confirm(context: BillingContext, session: PaymentSession): Promise<void> {
  const gateway = context.gateways.get(session.gateway);
  const invoice = await context.invoices.get(session.invoiceId);
  // Also of an invoice that is paid: it may have been paid twice.
  if (gateway) await receiveEvents(context, session.gateway, await gateway.confirmSession(session.reference));
  const after = await context.invoices.get(session.invoiceId);
  const isDone = !gateway || !after || (invoice && isPayable(invoice) && !isPayable(after));
  await context.paymentSessions.schedule(session, isDone ? null : nextCheckAt(session.createdAt, session.checks));
}
