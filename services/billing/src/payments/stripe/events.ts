import type { Stripe } from 'stripe';
import type { Money } from '../../domain/money.js';
import type { PaymentEvent } from '../../domain/payment-gateway.js';
import { invalidWebhook } from '../reasons.js';
import { fromStripeAmount } from './amounts.js';
import { methodReferenceOf } from './method-reference.js';

/** What we write on every object we make at Stripe. Objects without it are of no concern to us. */
export interface StripeMetadata {
  readonly invoice_id: string;
  readonly customer_id: string;
}

export function readMetadata(metadata: Stripe.Metadata | null | undefined): StripeMetadata | null {
  const invoiceId = metadata?.['invoice_id'];
  const customerId = metadata?.['customer_id'];
  return invoiceId && customerId ? { invoice_id: invoiceId, customer_id: customerId } : null;
}

export function idOf(value: string | { readonly id: string } | null | undefined): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : value.id;
}

export function moneyOf(amount: number, currency: string): Money {
  const money = fromStripeAmount(amount, currency);
  if (money === null) throw invalidWebhook('malformed', { gateway: 'stripe', expected: `an amount of ${currency}` });
  return money;
}

interface MoneyFact {
  readonly kind: 'paid' | 'failed' | 'refunded' | 'disputed';
  readonly eventId: string;
  readonly reference: string;
  readonly metadata: Stripe.Metadata | null | undefined;
  readonly amount: number;
  readonly currency: string;
  /** Unix seconds. */
  readonly time: number;
  readonly reason?: string | null | undefined;
}

/**
 * An event id names the fact and not the notification: a payment that is reported in several ways has one. Empty when the
 * object is not ours.
 */
function moneyEvent(fact: MoneyFact): PaymentEvent[] {
  const metadata = readMetadata(fact.metadata);
  if (metadata === null) return [];
  return [
    {
      kind: fact.kind,
      eventId: fact.eventId,
      gatewayReference: fact.reference,
      invoiceId: metadata.invoice_id,
      amount: moneyOf(fact.amount, fact.currency),
      at: new Date(fact.time * 1000),
      reason: fact.reason ?? '',
    },
  ];
}

/** Events of a payment intent as it stands: paid, and the method that was kept with it. */
export function intentEvents(intent: Stripe.PaymentIntent, time: number): PaymentEvent[] {
  if (intent.status !== 'succeeded') return [];
  const { metadata, currency } = intent;
  const amount = intent.amount_received;
  const eventId = `paid:${intent.id}`;
  const paid = moneyEvent({ kind: 'paid', eventId, reference: intent.id, metadata, amount, currency, time });
  return [...paid, ...savedMethodEvent(intent, time)];
}

function savedMethodEvent(intent: Stripe.PaymentIntent, time: number): PaymentEvent[] {
  const metadata = readMetadata(intent.metadata);
  const customer = idOf(intent.customer);
  const method = idOf(intent.payment_method);
  if (intent.setup_future_usage !== 'off_session' || !metadata || !customer || !method) return [];
  return [
    {
      kind: 'method_saved',
      eventId: `method_saved:${intent.id}`,
      customerId: metadata.customer_id,
      methodReference: methodReferenceOf({ customer, method }),
      label: labelOf(intent.payment_method),
      at: new Date(time * 1000),
    },
  ];
}

function labelOf(method: string | Stripe.PaymentMethod | null): string {
  if (method === null || typeof method === 'string') return 'stored payment method';
  return method.card ? `${method.card.brand} •••• ${method.card.last4}` : method.type;
}

/** One intent can fail several times, each time with a notification of its own. */
export function failedIntentEvent(notificationId: string, intent: Stripe.PaymentIntent, time: number): PaymentEvent[] {
  return moneyEvent({
    kind: 'failed',
    eventId: `failed:${notificationId}`,
    reference: intent.id,
    metadata: intent.metadata,
    amount: intent.amount,
    currency: intent.currency,
    time,
    reason: intent.last_payment_error?.decline_code ?? intent.last_payment_error?.code,
  });
}

/** A checkout that ended unpaid. */
export function endedCheckoutEvent(session: Stripe.Checkout.Session, reason: string, time: number): PaymentEvent[] {
  if (session.amount_total === null || session.currency === null) return [];
  return moneyEvent({
    kind: 'failed',
    eventId: `${reason}:${session.id}`,
    reference: idOf(session.payment_intent) ?? session.id,
    metadata: session.metadata,
    amount: session.amount_total,
    currency: session.currency,
    time,
    reason,
  });
}

export function refundedEvent(refund: Stripe.Refund, intent: Stripe.PaymentIntent, time: number): PaymentEvent[] {
  if (refund.status !== 'succeeded') return [];
  return moneyEvent({
    kind: 'refunded',
    eventId: `refunded:${refund.id}`,
    reference: intent.id,
    metadata: intent.metadata,
    amount: refund.amount,
    currency: refund.currency,
    time,
  });
}

/** Once per dispute, at its first report. One that was won brought nothing to undo. */
export function disputedEvent(dispute: Stripe.Dispute, intent: Stripe.PaymentIntent, time: number): PaymentEvent[] {
  if (dispute.status === 'won') return [];
  return moneyEvent({
    kind: 'disputed',
    eventId: `disputed:${dispute.id}`,
    reference: intent.id,
    metadata: intent.metadata,
    amount: dispute.amount,
    currency: dispute.currency,
    time,
    reason: dispute.reason,
  });
}
