import type { PaymentSession } from '../domain/payment-session.js';
import type { PaymentEventDeps } from './dependencies.js';
import { isPayable } from '../domain/invoice.js';
import { receiveEvents } from './receive-events.js';
import { nextCheckAt } from '../domain/session-checks.js';

const leaseMs = 5 * 60_000;

/** For missing webhooks. One replica per payment. */
export async function confirmPaymentSessions(deps: PaymentEventDeps, signal: AbortSignal): Promise<void> {
  const { paymentSessions, clock } = deps;
  while (!signal.aborted) {
    const now = clock();
    const session = await paymentSessions.claim(now, new Date(now.getTime() + leaseMs));
    if (!session) return;
    // Failures are retried when the lease ends.
    await deps.attempt('confirm-payment-sessions', session.invoiceId, async () => confirm(deps, session));
  }
}

async function confirm(deps: PaymentEventDeps, session: PaymentSession): Promise<void> {
  const gateway = deps.gateways.get(session.gateway);
  const invoice = await deps.invoices.get(session.invoiceId);
  // Also if paid: a second payment may exist.
  if (gateway) await receiveEvents(deps, session.gateway, await gateway.confirmSession(session.reference));
  const after = await deps.invoices.get(session.invoiceId);
  const isDone = !gateway || !after || (invoice && isPayable(invoice) && !isPayable(after));
  await deps.paymentSessions.schedule(session, isDone ? null : nextCheckAt(session.createdAt, session.checks));
}
