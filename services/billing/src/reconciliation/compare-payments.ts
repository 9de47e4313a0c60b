import { isAppError, messageOf } from '@panel/kit/errors';
import type { ReconciliationDeps } from './dependencies.js';
import type { GatewayPayment } from '../domain/payment.js';
import type { PaymentGateway } from '../payments/payment-gateway.js';
import { recordPayment } from '../invoicing/record-payment.js';
import type { Finding } from '../domain/discrepancy.js';

const hourMs = 3_600_000;
/** Older payments are already compared. */
const windowMs = 72 * hourMs;
/** Newer payments wait for their webhooks. */
const graceMs = 10 * 60_000;
/** Clocks differ at the edges. */
const edgeMs = hourMs;
const maxInvoices = 10_000;
const maxEvents = 200;

/** Both ways. Unavailable gateways are compared next time. */
export async function comparePayments(deps: ReconciliationDeps, signal: AbortSignal): Promise<Finding[]> {
  const findings = await failedEvents(deps);
  for (const gateway of deps.gateways.values()) {
    if (signal.aborted) break;
    try {
      findings.push(...(await compareGateway(deps, gateway, signal)));
    } catch (error) {
      deps.log.warn({ err: error, gateway: gateway.name }, 'the payments of a gateway could not be compared');
    }
  }
  return findings;
}

async function failedEvents({ paymentEvents }: ReconciliationDeps): Promise<Finding[]> {
  const failed = await paymentEvents.withErrors(maxEvents);
  return failed.map(({ id, error }) => ({ kind: 'event_failed', reference: id, detail: error, repaired: false }));
}

async function compareGateway(
  deps: ReconciliationDeps,
  gateway: PaymentGateway,
  signal: AbortSignal,
): Promise<Finding[]> {
  const now = deps.clock().getTime();
  const [since, until] = [new Date(now - windowMs), new Date(now - graceMs)];
  const findings: Finding[] = [];
  const known = new Set<string>();
  for await (const payment of gateway.listPayments(since, until)) {
    if (signal.aborted) return findings;
    known.add(payment.gatewayReference);
    const found = await bookMissing(deps, gateway.name, payment);
    if (found) findings.push(found);
  }
  // `manual` has no books.
  if (gateway.name === 'manual') return findings;
  const from = new Date(since.getTime() + edgeMs);
  const to = new Date(until.getTime() - edgeMs);
  for (const invoice of await deps.invoices.paidThrough(gateway.name, from, to, maxInvoices)) {
    for (const { method, reference, at, amountMinor } of invoice.payments) {
      const isCompared = method === gateway.name && at >= from && at < to && amountMinor > 0;
      if (!isCompared || known.has(reference)) continue;
      const detail = `invoice ${invoice.number} has a payment that ${gateway.name} does not know`;
      findings.push({ kind: 'payment_missing', reference: `${gateway.name}:${reference}`, detail, repaired: false });
    }
  }
  return findings;
}

/** If it matches an own invoice. */
async function bookMissing(
  deps: ReconciliationDeps,
  method: string,
  { gatewayReference: reference, invoiceId, amount, paidAt }: GatewayPayment,
): Promise<Finding | null> {
  const id = `${method}:${reference}`;
  const finding = (detail: string, repaired: boolean): Finding => ({
    kind: 'payment_unknown',
    reference: id,
    detail,
    repaired,
  });
  const invoice = await deps.invoices.get(invoiceId);
  if (!invoice) return finding(`it names invoice ${invoiceId}, which is not there`, false);
  if (invoice.payments.some((payment) => payment.id === id)) return null;
  if (amount.currency !== invoice.currency) return finding(`invoice ${invoice.number} is in another currency`, false);
  try {
    await recordPayment(deps, invoiceId, { id, method, amountMinor: amount.amountMinor, reference, at: paidAt });
    return finding(`it was not booked on invoice ${invoice.number}`, true);
  } catch (error) {
    if (!isAppError(error)) throw error;
    return finding(`it could not be booked on invoice ${invoice.number}: ${messageOf(error)}`, false);
  }
}
