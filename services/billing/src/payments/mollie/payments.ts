import type { GatewayPayment, PaymentSessionRequest } from '../../domain/payment.js';
import { fail } from '../reasons.js';
import type { MollieClient } from './client.js';
import { mollieMoney, ownMetadataOf } from './events.js';
import * as messages from './messages.js';

/** On every own payment. Payments without it are ignored. */
export function metadataOf({ invoiceId, customer }: Pick<PaymentSessionRequest, 'invoiceId' | 'customer'>) {
  return { invoice_id: invoiceId, customer_id: customer.id };
}

/** With its refunds and chargebacks. Null: unknown to this key. */
export async function retrievePayment(client: MollieClient, id: string): Promise<messages.Payment | null> {
  const path = `/v2/payments/${encodeURIComponent(id)}?embed=refunds,chargebacks`;
  return client.find({ operation: 'retrieve payment', path }, messages.payment);
}

const pageSize = 250;
const maxPages = 1_000;

/** Newest first, until `since`. */
export async function* paymentsSince(
  client: MollieClient,
  path: string,
  since: Date,
): AsyncGenerator<messages.Payment> {
  let from: string | null = null;
  for (let page = 0; page < maxPages; page += 1) {
    const query = new URLSearchParams({ limit: String(pageSize), ...(from !== null && { from }) });
    const request = { operation: 'list payments', path: `${path}?${query.toString()}` };
    const { _embedded: embedded, _links: links } = await client.call(request, messages.paymentPage);
    for (const payment of embedded.payments) {
      if (payment.createdAt < since) return;
      yield payment;
    }
    from = cursorOf(links?.next?.href);
    if (from === null) return;
  }
  throw fail('GATEWAY_UNAVAILABLE', 'Mollie lists more than 250,000 payments', { gateway: 'mollie' });
}

/** Only the id is used of an address that an answer names. */
function cursorOf(href: string | undefined): string | null {
  const from = href !== undefined && URL.canParse(href) ? new URL(href).searchParams.get('from') : null;
  return from !== null && messages.paymentIdPattern.test(from) ? from : null;
}

/** Transfers and debits are paid days after their creation, which the list is sorted by. */
const longestPaymentMs = 30 * 24 * 3_600_000;

export async function* listPayments(client: MollieClient, since: Date, until: Date): AsyncGenerator<GatewayPayment> {
  if (since >= until) return;
  const createdSince = new Date(since.getTime() - longestPaymentMs);
  for await (const payment of paymentsSince(client, '/v2/payments', createdSince)) {
    const metadata = ownMetadataOf(payment.metadata);
    const { id, status, paidAt } = payment;
    if (metadata === null || status !== 'paid' || !paidAt || paidAt < since || paidAt >= until) continue;
    const { invoice_id: invoiceId } = metadata;
    yield { gatewayReference: id, invoiceId, amount: mollieMoney(payment.amount), paidAt };
  }
}
