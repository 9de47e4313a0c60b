import type { Stripe } from 'stripe';
import type { GatewayPayment } from '../../domain/payment-gateway.js';
import type { StripeApi } from './client.js';
import { moneyOf, readMetadata } from './events.js';

/** Stripe lists the newest first: one span at a time is read whole and turned round. */
const spanSeconds = 7 * 86_400;

/** Completed payments of invoices, by the time the payment was begun, oldest first. */
export async function* listPayments(api: StripeApi, since: Date, until: Date): AsyncGenerator<GatewayPayment> {
  const end = Math.ceil(until.getTime() / 1000) + 1;
  for (let from = Math.floor(since.getTime() / 1000); from < end; from += spanSeconds) {
    const intents = await intentsOfSpan(api, from, Math.min(from + spanSeconds, end));
    yield* intents.reverse().flatMap(paymentOf);
  }
}

async function intentsOfSpan(api: StripeApi, gte: number, lt: number): Promise<Stripe.PaymentIntent[]> {
  const intents: Stripe.PaymentIntent[] = [];
  for (;;) {
    const after = intents.at(-1)?.id;
    const page = await api.call('list payments', (stripe) =>
      stripe.paymentIntents.list({ created: { gte, lt }, limit: 100, ...(after && { starting_after: after }) }),
    );
    intents.push(...page.data);
    if (!page.has_more || page.data.length === 0) return intents;
  }
}

function paymentOf(intent: Stripe.PaymentIntent): GatewayPayment[] {
  const metadata = readMetadata(intent.metadata);
  if (metadata === null || intent.status !== 'succeeded') return [];
  return [
    {
      gatewayReference: intent.id,
      invoiceId: metadata.invoice_id,
      amount: moneyOf(intent.amount_received, intent.currency),
      status: 'paid',
      at: new Date(intent.created * 1000),
    },
  ];
}
