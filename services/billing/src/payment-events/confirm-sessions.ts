import type { PaymentSession } from '../domain/payment-session.js';
import type { PaymentEventDeps } from './dependencies.js';
import { isPayable } from '../domain/invoice.js';
import { receiveEvents } from './receive-events.js';
import { nextCheckAt } from '../domain/session-checks.js';

const leaseMs = 5 * 60_000;

/** Ask gateways how payments stand whose webhook has not come. Each is asked by one replica at a time. */
export async function confirmPaymentSessions(deps: PaymentEventDeps, signal: AbortSignal): Promise<void> {
  const { paymentSessions, clock } = deps;
  while (!signal.aborted) {
    const now = clock();
    const session = await paymentSessions.claim(now, new Date(now.getTime() + leaseMs));
    if (!session) return;
    // What fails is asked for again when its lease ends.
    await deps.attempt('confirm-payment-sessions', session.invoiceId, async () => confirm(deps, session));
  }
}

async function confirm(deps: PaymentEventDeps, session: PaymentSession): Promise<void> {
  const gateway = deps.gateways.get(session.gateway);
  const invoice = await deps.invoices.get(session.invoiceId);
  // Also of an invoice that is paid: it may have been paid twice.
  if (gateway) await receiveEvents(deps, session.gateway, await gateway.confirmSession(session.reference));
  const after = await deps.invoices.get(session.invoiceId);
  const isDone = !gateway || !after || (invoice && isPayable(invoice) && !isPayable(after));
  await deps.paymentSessions.schedule(session, isDone ? null : nextCheckAt(session.createdAt, session.checks));
}
