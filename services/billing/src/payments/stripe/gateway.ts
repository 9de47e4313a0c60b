import { Stripe } from 'stripe';
import type {
  CheckoutRequest,
  CheckoutResult,
  PaymentEvent,
  RefundRequest,
  RefundResult,
  StoredChargeRequest,
  StoredChargeResult,
} from '../../domain/payment-gateway.js';
import type { ProviderGateway } from '../checkout-confirmation.js';
import { fail } from '../reasons.js';
import { toStripeAmount } from './amounts.js';
import { createStripeApi, type StripeApi, type StripeSettings } from './client.js';
import { endedCheckoutEvent, idOf } from './events.js';
import { listPayments } from './list-payments.js';
import { parseMethodReference, type StripeMethod } from './method-reference.js';
import { checkoutEvents, parseStripeWebhook } from './webhook.js';

/** Cards and the like through Stripe Checkout; kept methods are charged by payment intents without the customer. */
export function createStripeGateway(settings: StripeSettings, clock: () => Date): ProviderGateway {
  const api = createStripeApi(settings);
  return {
    name: 'stripe',
    createCheckout: (request) => createCheckout(api, request),
    confirmCheckout: (reference) => confirmCheckout(api, reference),
    chargeStored: (request) => chargeStored(api, request),
    refund: (request) => refund(api, request),
    parseWebhook: (request) => parseStripeWebhook({ api, webhookSecret: settings.webhookSecret, clock }, request),
    listPayments: (since) => listPayments(api, since, clock()),
  };
}

const metadataOf = (request: { invoiceId: string; customer: { id: string } }) => ({
  invoice_id: request.invoiceId,
  customer_id: request.customer.id,
});

async function createCheckout(api: StripeApi, request: CheckoutRequest): Promise<CheckoutResult> {
  const params = sessionParams(request);
  const session = await api.call('create checkout', (stripe) =>
    stripe.checkout.sessions.create(params, { idempotencyKey: request.idempotencyKey }),
  );
  if (session.url) return { kind: 'redirect', url: session.url, gatewayReference: session.id };
  if (session.payment_status === 'paid') return { kind: 'paid', gatewayReference: session.id };
  throw fail('PAYMENT_REFUSED', 'the checkout is no longer open', { gateway: 'stripe', status: session.status });
}

function sessionParams(request: CheckoutRequest): Stripe.Checkout.SessionCreateParams {
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
    customer_email: request.customer.email,
    customer_creation: request.savePaymentMethod ? 'always' : 'if_required',
    payment_intent_data: {
      metadata,
      description: request.description,
      ...(request.savePaymentMethod && { setup_future_usage: 'off_session' as const }),
    },
  };
}

async function confirmCheckout(api: StripeApi, reference: string): Promise<PaymentEvent[]> {
  const session = await api.call('retrieve checkout', (stripe) => stripe.checkout.sessions.retrieve(reference));
  if (session.status === 'expired') return endedCheckoutEvent(session, 'expired', session.expires_at);
  return checkoutEvents(api, session, session.created);
}

async function chargeStored(api: StripeApi, request: StoredChargeRequest): Promise<StoredChargeResult> {
  const method = parseMethodReference(request.methodReference);
  if (method === null) return { kind: 'declined', reason: 'unknown_method' };
  return api.call('charge stored method', async (stripe) => {
    try {
      return chargeResult(await createOffSessionIntent(stripe, request, method));
    } catch (error) {
      // Declined by the card, or the bank wants the customer present: no retry with this key can succeed.
      if (!(error instanceof Stripe.errors.StripeCardError)) throw error;
      return { kind: 'declined', reason: error.decline_code ?? error.code ?? 'card_error' };
    }
  });
}

function createOffSessionIntent(
  stripe: Stripe,
  request: StoredChargeRequest,
  method: StripeMethod,
): Promise<Stripe.PaymentIntent> {
  return stripe.paymentIntents.create(
    {
      ...toStripeAmount(request.amount),
      customer: method.customer,
      payment_method: method.method,
      off_session: true,
      confirm: true,
      description: request.description,
      metadata: metadataOf(request),
    },
    { idempotencyKey: request.idempotencyKey },
  );
}

function chargeResult(intent: Stripe.PaymentIntent): StoredChargeResult {
  switch (intent.status) {
    case 'succeeded':
      return { kind: 'paid', gatewayReference: intent.id };
    case 'processing':
      return { kind: 'pending', gatewayReference: intent.id };
    default:
      return { kind: 'declined', reason: intent.status };
  }
}

async function refund(api: StripeApi, request: RefundRequest): Promise<RefundResult> {
  const { amount } = toStripeAmount(request.amount);
  const intentId = await intentOf(api, request.gatewayReference);
  const made = await api.call('refund', (stripe) =>
    stripe.refunds.create({ payment_intent: intentId, amount }, { idempotencyKey: request.idempotencyKey }),
  );
  if (made.status === 'failed' || made.status === 'canceled') {
    throw fail('PAYMENT_REFUSED', 'the refund failed', { gateway: 'stripe', code: made.failure_reason ?? null });
  }
  return { refundReference: made.id };
}

async function intentOf(api: StripeApi, reference: string): Promise<string> {
  if (!reference.startsWith('cs_')) return reference;
  const session = await api.call('retrieve checkout', (stripe) => stripe.checkout.sessions.retrieve(reference));
  const intentId = idOf(session.payment_intent);
  if (intentId === null) throw fail('PAYMENT_REFUSED', 'the checkout has no payment', { gateway: 'stripe' });
  return intentId;
}
