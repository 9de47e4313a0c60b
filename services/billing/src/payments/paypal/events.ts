import type { Money } from '../../domain/money.js';
import type { PaymentEvent } from '../../domain/payment-gateway.js';
import { invalidWebhook } from '../reasons.js';
import { fromPayPalAmount, type PayPalAmount } from './amounts.js';
import type { Capture, Dispute, Order, Refund } from './messages.js';

export function moneyOf(amount: PayPalAmount): Money {
  const money = fromPayPalAmount(amount);
  if (money) return money;
  throw invalidWebhook('malformed', { gateway: 'paypal', expected: `an amount of ${amount.currency_code}` });
}

/** What every event of a capture shares. Null: the capture belongs to no invoice of ours. */
function captureBase(capture: Capture) {
  if (capture.custom_id === undefined) return null;
  return {
    gatewayReference: capture.id,
    invoiceId: capture.custom_id,
    amount: moneyOf(capture.amount),
    at: capture.create_time,
    reason: '',
  };
}

/** An event id names the fact and not the notification: a payment that is reported in several ways has one. */
export function captureEvents(capture: Capture): PaymentEvent[] {
  const base = captureBase(capture);
  if (base === null) return [];
  switch (capture.status) {
    case 'COMPLETED':
    case 'PARTIALLY_REFUNDED':
    case 'REFUNDED':
      return [{ ...base, kind: 'paid', eventId: `paid:${capture.id}` }];
    case 'DECLINED':
    case 'FAILED':
      return [{ ...base, kind: 'failed', eventId: `failed:${capture.id}`, reason: capture.status.toLowerCase() }];
    default:
      return [];
  }
}

/** Captures of an order. The invoice stands on the order where a capture does not repeat it. */
export function orderEvents(order: Order): PaymentEvent[] {
  return order.purchase_units.flatMap((unit) =>
    (unit.payments?.captures ?? []).flatMap((capture) =>
      captureEvents({ ...capture, custom_id: capture.custom_id ?? unit.custom_id }),
    ),
  );
}

/** An order that was not paid, or can no longer be. */
export function failedOrderEvents(order: Order, reason: string, at: Date): PaymentEvent[] {
  const [unit] = order.purchase_units;
  if (unit?.custom_id === undefined || unit.amount === undefined) return [];
  return [
    {
      kind: 'failed',
      eventId: `${reason}:${order.id}`,
      gatewayReference: order.id,
      invoiceId: unit.custom_id,
      amount: moneyOf(unit.amount),
      at,
      reason,
    },
  ];
}

export function refundEvents(refund: Refund, capture: Capture, reportedAt: Date): PaymentEvent[] {
  const base = captureBase(capture);
  if (base === null || refund.amount === undefined || refund.status !== 'COMPLETED') return [];
  const amount = moneyOf(refund.amount);
  return [
    { ...base, kind: 'refunded', eventId: `refunded:${refund.id}`, amount, at: refund.create_time ?? reportedAt },
  ];
}

/** Once per dispute, at its first report. One that was decided for the seller brought nothing to undo. */
export function disputeEvents(dispute: Dispute, capture: Capture): PaymentEvent[] {
  const base = captureBase(capture);
  const outcome = dispute.dispute_outcome?.outcome_code;
  const isWon = dispute.status === 'RESOLVED' && outcome !== 'RESOLVED_BUYER_FAVOUR';
  if (base === null || isWon) return [];
  return [
    {
      ...base,
      kind: 'disputed',
      eventId: `disputed:${dispute.dispute_id}`,
      amount: moneyOf(dispute.dispute_amount),
      at: dispute.create_time,
      reason: (dispute.reason ?? '').toLowerCase(),
    },
  ];
}
