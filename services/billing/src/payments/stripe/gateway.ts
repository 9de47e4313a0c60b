import { Stripe } from 'stripe';
import type {
  ChargeRequest,
  ChargeResult,
  GatewayPayment,
  PaymentEvent,
  PaymentSessionRequest,
  PaymentSessionResult,
  RefundRequest,
  RefundResult,
} from '../../domain/payment.js';
import type { PaymentGateway } from '../payment-gateway.js';
import { isConvertible } from '../provider-amount.js';
import { fail } from '../reasons.js';
import { toStripeAmount } from './amounts.js';
import { createStripeApi, type StripeApi, type StripeSettings } from './client.js';
import { endedSessionEvent, idOf, stripeMoney, readMetadata } from './events.js';
import { parseStripeWebhook, sessionEvents } from './webhook.js';

/** Cards and others through Stripe Checkout; payment intents charge stored methods. */
export function createStripeGateway(settings: StripeSettings, clock: () => Date): PaymentGateway {
  const api = createStripeApi(settings);
  return {
    name: 'stripe',
    canStoreMethods: true,
    canCharge: (amount) => isConvertible(amount, toStripeAmount),
    createSession: (request) => createSession(api, request),
    confirmSession: (reference) => confirmSession(api, reference),
    chargeStored: (request) => chargeStored(api, request),
    refund: (request) => refund(api, request),
    parseWebhook: (request) => parseStripeWebhook({ api, webhookSecret: settings.webhookSecret, clock }, request),
    listPayments: (since, until) => listPayments(api, since, until),
  };
}

const metadataOf = (request: { invoiceId: string; customer: { id: string } }) => ({
  invoice_id: request.invoiceId,
  customer_id: request.customer.id,
});

async function createSession(api: StripeApi, request: PaymentSessionRequest): Promise<PaymentSessionResult> {
  const params = sessionParams(request);
  const session = await api.call('create checkout', (stripe) =>
    stripe.checkout.sessions.create(params, { idempotencyKey: request.idempotencyKey }),
  );
  if (session.url) return { kind: 'redirect', url: session.url, gatewayReference: session.id };
  if (session.payment_status === 'paid') return { kind: 'paid', gatewayReference: session.id };
  throw fail('GATEWAY_REJECTED', 'the checkout is no longer open', { gateway: 'stripe', status: session.status });
}

function sessionParams(request: PaymentSessionRequest): Stripe.Checkout.SessionCreateParams {
  const { amount, currency } = toStripeAmount(request.amount);
  const metadata = metadataOf(request);
  const product = { name: request.description };
  return {
    mode: 'payment',
    line_items: [{ quantity: 1, price_data: { currency, unit_amount: amount, product_data: product } }],
    success_url: request.returnUrl,
    cancel_url: request.returnUrl,
    client_reference_id: request.invoiceId,
    metadata,
    ...customerParams(request),
    payment_intent_data: {
      metadata,
      description: request.description,
      ...(request.savePaymentMethod && { setup_future_usage: 'off_session' as const }),
    },
  };
}

function customerParams({ customer, savePaymentMethod }: PaymentSessionRequest) {
  if (customer.gatewayCustomerReference) return { customer: customer.gatewayCustomerReference };
  return {
    customer_email: customer.email,
    customer_creation: savePaymentMethod ? ('always' as const) : ('if_required' as const),
  };
}

async function confirmSession(api: StripeApi, reference: string): Promise<PaymentEvent[]> {
  const session = await api.call('retrieve checkout', (stripe) => stripe.checkout.sessions.retrieve(reference));
  if (session.status === 'expired') return endedSessionEvent(session, 'expired', session.expires_at);
  return sessionEvents(api, session, session.created);
}

async function chargeStored(api: StripeApi, request: ChargeRequest): Promise<ChargeResult> {
  return api.call('charge stored method', async (stripe) => {
    try {
      return chargeResult(await createOffSessionIntent(stripe, request));
    } catch (error) {
      // Declined, or the customer must be present: a retry with this key cannot succeed.
      if (!(error instanceof Stripe.errors.StripeCardError)) throw error;
      return { kind: 'declined', code: error.decline_code ?? error.code ?? 'card_error' };
    }
  });
}

function createOffSessionIntent(stripe: Stripe, request: ChargeRequest): Promise<Stripe.PaymentIntent> {
  return stripe.paymentIntents.create(
    {
      ...toStripeAmount(request.amount),
      customer: request.method.customerReference,
      payment_method: request.method.methodReference,
      off_session: true,
      confirm: true,
      description: request.description,
      metadata: metadataOf(request),
    },
    { idempotencyKey: request.idempotencyKey },
  );
}

function chargeResult(intent: Stripe.PaymentIntent): ChargeResult {
  switch (intent.status) {
    case 'succeeded':
      return { kind: 'paid', gatewayReference: intent.id };
    case 'processing':
      return { kind: 'pending', gatewayReference: intent.id };
    default:
      return { kind: 'declined', code: intent.status };
  }
}

async function refund(api: StripeApi, request: RefundRequest): Promise<RefundResult> {
  const { amount } = toStripeAmount(request.amount);
  const intentId = await intentOf(api, request.gatewayReference);
  const made = await api.call('refund', (stripe) =>
    stripe.refunds.create(
      { payment_intent: intentId, amount, metadata: { invoice_id: request.invoiceId } },
      { idempotencyKey: request.idempotencyKey },
    ),
  );
  if (made.status === 'failed' || made.status === 'canceled') {
    throw fail('GATEWAY_REJECTED', 'the refund failed', { gateway: 'stripe', code: made.failure_reason ?? null });
  }
  return { kind: made.status === 'succeeded' ? 'refunded' : 'pending', refundReference: made.id };
}

async function intentOf(api: StripeApi, reference: string): Promise<string> {
  if (!reference.startsWith('cs_')) return reference;
  const session = await api.call('retrieve checkout', (stripe) => stripe.checkout.sessions.retrieve(reference));
  const intentId = idOf(session.payment_intent);
  if (intentId === null) throw fail('GATEWAY_REJECTED', 'the checkout has no payment', { gateway: 'stripe' });
  return intentId;
}

async function* listPayments(api: StripeApi, since: Date, until: Date): AsyncGenerator<GatewayPayment> {
  const seconds = (time: Date): number => Math.ceil(time.getTime() / 1000);
  let startingAfter: string | undefined;
  for (;;) {
    const page = await api.call('list payments', (stripe) =>
      stripe.paymentIntents.list({
        created: { gte: seconds(since), lt: seconds(until) },
        limit: 100,
        ...(startingAfter && { starting_after: startingAfter }),
      }),
    );
    for (const intent of page.data) {
      const metadata = readMetadata(intent.metadata);
      if (metadata === null || intent.status !== 'succeeded') continue;
      yield {
        gatewayReference: intent.id,
        invoiceId: metadata.invoice_id,
        amount: stripeMoney(intent.amount_received, intent.currency),
        paidAt: new Date(intent.created * 1000),
      };
    }
    startingAfter = page.data.at(-1)?.id;
    if (!page.has_more || startingAfter === undefined) return;
  }
}
