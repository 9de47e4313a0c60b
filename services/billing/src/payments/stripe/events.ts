import type { Stripe } from 'stripe';
import type { Money, PaymentEvent } from '../../domain/payment.js';
import { fail } from '../reasons.js';
import { fromStripeAmount } from './amounts.js';

/** Metadata on every own object at Stripe. Objects without it are ignored. */
interface StripeMetadata {
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

export function stripeMoney(amount: number, currency: string): Money {
  const money = fromStripeAmount(amount, currency);
  if (money === null) throw fail('WEBHOOK_MALFORMED', 'the amount is a fraction of its currency', { currency });
  return money;
}

const timeOf = (seconds: number): Date => new Date(seconds * 1000);

/** Payment, and the method stored with it. */
export function intentEvents(
  intent: Stripe.PaymentIntent,
  sessionReference: string | null,
  occurredAt: number,
): PaymentEvent[] {
  const metadata = readMetadata(intent.metadata);
  if (metadata === null) return [];
  const isPending = intent.status === 'processing';
  if (!isPending && intent.status !== 'succeeded') return [];
  const base = {
    gatewayReference: intent.id,
    sessionReference,
    invoiceId: metadata.invoice_id,
    amount: stripeMoney(isPending ? intent.amount : intent.amount_received, intent.currency),
    occurredAt: timeOf(occurredAt),
  };
  if (isPending) return [{ ...base, type: 'pending', eventId: `stripe:pending:${intent.id}` }];
  const events: PaymentEvent[] = [
    { ...base, type: 'paid', eventId: `stripe:paid:${intent.id}`, ...cardCountryOf(intent.payment_method) },
  ];
  const saved = savedMethod(intent);
  if (saved) {
    const eventId = `stripe:method_saved:${intent.id}`;
    events.push({ ...base, ...saved, type: 'method_saved', eventId, customerId: metadata.customer_id });
  }
  return events;
}

function cardCountryOf(method: string | Stripe.PaymentMethod | null): { cardCountry?: string } {
  const country = method === null || typeof method === 'string' ? null : method.card?.country;
  return country ? { cardCountry: country } : {};
}

function savedMethod(intent: Stripe.PaymentIntent) {
  const customerReference = idOf(intent.customer);
  const methodReference = idOf(intent.payment_method);
  if (intent.setup_future_usage !== 'off_session' || !customerReference || !methodReference) return null;
  return { method: { customerReference, methodReference }, label: labelOf(intent.payment_method) };
}

function labelOf(method: string | Stripe.PaymentMethod | null): string {
  if (method === null || typeof method === 'string') return 'stored payment method';
  return method.card ? `${method.card.brand} •••• ${method.card.last4}` : method.type;
}

export function failedEvent(
  notificationId: string,
  intent: Pick<Stripe.PaymentIntent, 'id' | 'amount' | 'currency' | 'metadata' | 'last_payment_error'>,
  occurredAt: number,
): PaymentEvent[] {
  const metadata = readMetadata(intent.metadata);
  if (metadata === null) return [];
  return [
    {
      type: 'failed',
      // One intent can fail several times, with one notification each.
      eventId: `stripe:failed:${notificationId}`,
      gatewayReference: intent.id,
      sessionReference: null,
      invoiceId: metadata.invoice_id,
      amount: stripeMoney(intent.amount, intent.currency),
      occurredAt: timeOf(occurredAt),
      code: intent.last_payment_error?.code ?? 'failed',
    },
  ];
}

/** The session ended unpaid. */
export function endedSessionEvent(session: Stripe.Checkout.Session, code: string, occurredAt: number): PaymentEvent[] {
  const metadata = readMetadata(session.metadata);
  if (metadata === null || session.amount_total === null || session.currency === null) return [];
  return [
    {
      type: 'failed',
      eventId: `stripe:${code}:${session.id}`,
      gatewayReference: idOf(session.payment_intent) ?? session.id,
      sessionReference: session.id,
      invoiceId: metadata.invoice_id,
      amount: stripeMoney(session.amount_total, session.currency),
      occurredAt: timeOf(occurredAt),
      code,
    },
  ];
}

export function refundedEvent(refund: Stripe.Refund, intent: Stripe.PaymentIntent, occurredAt: number): PaymentEvent[] {
  const metadata = readMetadata(intent.metadata);
  if (metadata === null || refund.status !== 'succeeded') return [];
  return [
    {
      type: 'refunded',
      eventId: `stripe:refunded:${refund.id}`,
      gatewayReference: intent.id,
      sessionReference: null,
      invoiceId: metadata.invoice_id,
      amount: stripeMoney(refund.amount, refund.currency),
      occurredAt: timeOf(occurredAt),
      refundReference: refund.id,
    },
  ];
}

export function disputedEvent(
  dispute: Stripe.Dispute,
  intent: Stripe.PaymentIntent,
  occurredAt: number,
): PaymentEvent[] {
  const metadata = readMetadata(intent.metadata);
  if (metadata === null) return [];
  const outcome = dispute.status === 'won' ? 'won' : dispute.status === 'lost' ? 'lost' : 'open';
  return [
    {
      type: 'disputed',
      eventId: `stripe:disputed:${dispute.id}:${outcome}`,
      gatewayReference: intent.id,
      sessionReference: null,
      invoiceId: metadata.invoice_id,
      amount: stripeMoney(dispute.amount, dispute.currency),
      occurredAt: timeOf(occurredAt),
      disputeReference: dispute.id,
      outcome,
    },
  ];
}
