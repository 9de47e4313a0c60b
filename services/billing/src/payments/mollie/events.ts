import { z } from 'zod';
import type { Money, PaymentEvent } from '../../domain/payment.js';
import { fail } from '../reasons.js';
import { fromMollieAmount, type MollieAmount } from './amounts.js';
import type { Chargeback, Payment, Refund } from './messages.js';

const ownMetadata = z.object({
  invoice_id: z.string().min(1),
  customer_id: z.string().min(1),
  key: z.string().optional(),
});

/** Null: not of an own invoice. */
export function ownMetadataOf(metadata: unknown) {
  return ownMetadata.safeParse(metadata).data ?? null;
}

export function mollieMoney(amount: MollieAmount): Money {
  const money = fromMollieAmount(amount);
  if (money === null) throw fail('WEBHOOK_MALFORMED', 'not an amount of its currency', { currency: amount.currency });
  return money;
}

/** All that is known of a payment: a webhook does not say what has changed. Null: not of an own invoice. */
export function paymentEvents(payment: Payment): PaymentEvent[] | null {
  const metadata = ownMetadataOf(payment.metadata);
  if (metadata === null) return null;
  const base = {
    gatewayReference: payment.id,
    sessionReference: payment.sequenceType === 'recurring' ? null : payment.id,
    invoiceId: metadata.invoice_id,
  };
  const { refunds = [], chargebacks = [] } = payment._embedded ?? {};
  return [
    ...statusEvents(payment, base, metadata.customer_id),
    ...refunds.flatMap((refund) => refundEvents(refund, base)),
    ...chargebacks.map((chargeback) => disputeEvent(chargeback, payment, base)),
  ];
}

type EventBase = Pick<PaymentEvent, 'gatewayReference' | 'sessionReference' | 'invoiceId'>;

function statusEvents(payment: Payment, base: EventBase, customerId: string): PaymentEvent[] {
  const { id, status, createdAt } = payment;
  const amount = mollieMoney(payment.amount);
  switch (status) {
    case 'paid': {
      const paid = { ...base, amount, occurredAt: payment.paidAt ?? createdAt };
      const saved = savedMethod(payment);
      return [
        { ...paid, type: 'paid', eventId: `mollie:paid:${id}`, ...countryOf(payment) },
        ...(saved
          ? [{ ...paid, ...saved, type: 'method_saved' as const, eventId: `mollie:method_saved:${id}`, customerId }]
          : []),
      ];
    }
    case 'pending':
    case 'authorized':
      return [{ ...base, amount, type: 'pending', eventId: `mollie:pending:${id}`, occurredAt: createdAt }];
    case 'failed':
    case 'canceled':
    case 'expired': {
      const occurredAt = payment.failedAt ?? payment.canceledAt ?? payment.expiredAt ?? createdAt;
      return [
        { ...base, amount, type: 'failed', eventId: `mollie:${status}:${id}`, occurredAt, code: codeOf(payment) },
      ];
    }
    default:
      return [];
  }
}

/** Why it was not paid. */
export function codeOf({ status, details }: Payment): string {
  return details?.failureReason || status;
}

/** Of the card, else of the bank account. */
function countryOf({ details }: Payment): { cardCountry?: string } {
  const country = details?.cardCountryCode ?? /^([A-Z]{2})\d{2}/.exec(details?.consumerAccount ?? '')?.[1];
  return country && /^[A-Z]{2}$/.test(country) ? { cardCountry: country } : {};
}

function savedMethod(payment: Payment) {
  const { sequenceType, customerId, mandateId } = payment;
  if (sequenceType !== 'first' || !customerId || !mandateId) return null;
  return { method: { customerReference: customerId, methodReference: mandateId }, label: labelOf(payment) };
}

function labelOf({ method, details }: Payment): string {
  if (details?.cardNumber) return `${details.cardLabel ?? 'card'} •••• ${details.cardNumber.slice(-4)}`;
  if (details?.consumerAccount) return `SEPA •••• ${details.consumerAccount.slice(-4)}`;
  return method ?? 'stored payment method';
}

function refundEvents(refund: Refund, base: EventBase): PaymentEvent[] {
  if (refund.status !== 'refunded') return [];
  return [
    {
      ...base,
      type: 'refunded',
      eventId: `mollie:refunded:${refund.id}`,
      amount: mollieMoney(refund.amount),
      occurredAt: refund.createdAt,
      refundReference: refund.id,
    },
  ];
}

/** The money of a chargeback is gone. That of a direct debit cannot be contested. */
function disputeEvent(chargeback: Chargeback, { method }: Payment, base: EventBase): PaymentEvent {
  const outcome = chargeback.reversedAt ? 'won' : method === 'directdebit' ? 'lost' : 'open';
  return {
    ...base,
    type: 'disputed',
    eventId: `mollie:disputed:${chargeback.id}:${outcome}`,
    amount: mollieMoney(chargeback.amount),
    occurredAt: chargeback.reversedAt ?? chargeback.createdAt,
    disputeReference: chargeback.id,
    outcome,
  };
}
