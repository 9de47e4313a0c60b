import type { Money, WebhookRequest } from '../../src/domain/payment.js';
import type { PaymentGateway } from '../../src/payments/payment-gateway.js';
import type { FaultServer } from './fault-server.js';

/** A gateway under test. */
export interface GatewayFixture {
  readonly gateway: PaymentGateway;
  /** What `createSession` of this gateway leads to. */
  readonly checkout: 'redirect' | 'paid' | 'pending';
  /** How many payments and refunds its books hold. */
  count(what: 'payment_sessions' | 'refunds'): number;
  stop(): Promise<void>;
}

export interface WrongPayment {
  readonly amount?: Money;
  readonly invoiceId?: string;
}

/** A gateway whose provider is a server of ours. */
export interface ProviderFixture extends GatewayFixture {
  readonly server: FaultServer;
  readonly clock: { now: Date };
  readonly attemptTimeoutMs: number;
  /** Path of the call that creates a payment session, and of the one that refunds. */
  readonly paths: { readonly checkout: string; readonly refund: string };
  /** What must never stand in an error. */
  readonly secrets: readonly string[];
  /** Header that carries the signature. */
  readonly signatureHeader: string;
  /** How old a delivery may be. */
  readonly maxAgeSeconds: number;
  /** The customer pays; the webhook that reports it. */
  pay(
    sessionReference: string,
    options?: { readonly ageSeconds?: number; readonly isForged?: boolean },
  ): WebhookRequest;
  /** A payment that differs from what was asked, rightly signed. */
  payWrongly(sessionReference: string, change: WrongPayment): WebhookRequest;
  /** Another notification of the same payment. */
  reportAgain(sessionReference: string): WebhookRequest;
  reportRefund(refundReference: string): WebhookRequest;
  reportDispute(gatewayReference: string, outcome: 'open' | 'won' | 'lost'): WebhookRequest;
  reportForeignPayment(): WebhookRequest;
  reportUnknownKind(): WebhookRequest;
}

export const invoiceId = '0c5a2f6e-6f0d-4a57-9a2f-2f6f1f1f7a01';

export const euros = (amountMinor: number): Money => ({ amountMinor, currency: 'EUR' });

let keys = 0;

/** A payment session of 12.34 EUR with a key of its own. */
export function sessionRequest(change: { amount?: Money; idempotencyKey?: string; savePaymentMethod?: boolean } = {}) {
  keys += 1;
  return {
    invoiceId,
    amount: euros(1234),
    description: 'Invoice 2026-0001',
    customer: { id: '7f8b6f0a-3f39-4c8e-9d3e-0d2d1f1f7a01', email: 'ada@example.com' },
    returnUrl: 'https://panel.example.com/billing/return',
    idempotencyKey: `key-${keys}`,
    savePaymentMethod: false,
    ...change,
  };
}

/** The reason an AppError was thrown with. */
export async function reasonOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    return (error as { reason?: string }).reason ?? String(error);
  }
  return 'no error';
}
