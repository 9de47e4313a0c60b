import type { Money, PaymentEvent } from '../../domain/payment.js';
import { fail } from '../reasons.js';
import { fromPayPalAmount, type PayPalAmount } from './amounts.js';
import type { Capture, Dispute, Order, Refund } from './messages.js';

export function paypalMoney(amount: PayPalAmount): Money {
  const money = fromPayPalAmount(amount);
  if (money === null)
    throw fail('WEBHOOK_MALFORMED', 'not an amount of its currency', { currency: amount.currency_code });
  return money;
}

/** Null: not of an own invoice. */
function captureBase(capture: Capture, orderId: string | null) {
  if (capture.custom_id === undefined) return null;
  return {
    gatewayReference: capture.id,
    sessionReference: orderId ?? capture.supplementary_data?.related_ids?.order_id ?? null,
    invoiceId: capture.custom_id,
    amount: paypalMoney(capture.amount),
    occurredAt: capture.create_time,
  };
}

export function captureEvents(capture: Capture, orderId: string | null): PaymentEvent[] {
  const base = captureBase(capture, orderId);
  if (base === null) return [];
  switch (capture.status) {
    case 'COMPLETED':
    case 'PARTIALLY_REFUNDED':
    case 'REFUNDED':
      return [{ ...base, type: 'paid', eventId: `paypal:paid:${capture.id}` }];
    case 'PENDING':
      return [{ ...base, type: 'pending', eventId: `paypal:pending:${capture.id}` }];
    case 'DECLINED':
    case 'FAILED': {
      const code = capture.status.toLowerCase();
      return [{ ...base, type: 'failed', eventId: `paypal:failed:${capture.id}`, code }];
    }
    default:
      return [];
  }
}

/** The order names the invoice where a capture does not. */
export function orderEvents(order: Order): PaymentEvent[] {
  return order.purchase_units.flatMap((unit) =>
    (unit.payments?.captures ?? []).flatMap((capture) =>
      captureEvents({ ...capture, custom_id: capture.custom_id ?? unit.custom_id }, order.id),
    ),
  );
}

/** The order is no longer payable. */
export function failedOrderEvents(order: Order, code: string, occurredAt: Date): PaymentEvent[] {
  const [unit] = order.purchase_units;
  if (unit?.custom_id === undefined || unit.amount === undefined) return [];
  return [
    {
      type: 'failed',
      eventId: `paypal:${code}:${order.id}`,
      gatewayReference: order.id,
      sessionReference: order.id,
      invoiceId: unit.custom_id,
      amount: paypalMoney(unit.amount),
      occurredAt,
      code,
    },
  ];
}

export function refundEvents(refund: Refund, capture: Capture, reportedAt: Date): PaymentEvent[] {
  const base = captureBase(capture, null);
  if (base === null || refund.amount === undefined || refund.status !== 'COMPLETED') return [];
  return [
    {
      ...base,
      type: 'refunded',
      eventId: `paypal:refunded:${refund.id}`,
      amount: paypalMoney(refund.amount),
      occurredAt: refund.create_time ?? reportedAt,
      refundReference: refund.id,
    },
  ];
}

export function disputeEvents(dispute: Dispute, capture: Capture): PaymentEvent[] {
  const base = captureBase(capture, null);
  if (base === null) return [];
  const outcome = disputeOutcome(dispute);
  return [
    {
      ...base,
      type: 'disputed',
      eventId: `paypal:disputed:${dispute.dispute_id}:${outcome}`,
      amount: paypalMoney(dispute.dispute_amount),
      occurredAt: dispute.create_time,
      disputeReference: dispute.dispute_id,
      outcome,
    },
  ];
}

function disputeOutcome(dispute: Dispute): 'open' | 'won' | 'lost' {
  if (dispute.status !== 'RESOLVED') return 'open';
  return dispute.dispute_outcome?.outcome_code === 'RESOLVED_BUYER_FAVOUR' ? 'lost' : 'won';
}
