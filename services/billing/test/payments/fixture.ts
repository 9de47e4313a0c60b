import type { Money, WebhookRequest } from '../../src/domain/payment.js';
import type { PaymentGateway } from '../../src/payments/payment-gateway.js';
import type { FaultServer } from './fault-server.js';

export interface GatewayFixture {
  readonly gateway: PaymentGateway;
  /** Result of `createSession`. */
  readonly checkout: 'redirect' | 'paid' | 'pending';
  /** In the gateway's books. */
  count(what: 'payment_sessions' | 'refunds'): number;
  stop(): Promise<void>;
}

export interface WrongPayment {
  readonly amount?: Money;
  readonly invoiceId?: string;
}

/** The provider is a local server. */
export interface ProviderFixture extends GatewayFixture {
  readonly server: FaultServer;
  readonly clock: { now: Date };
  readonly attemptTimeoutMs: number;
  /** Of session creation and refund. */
  readonly paths: { readonly checkout: string; readonly refund: string };
  /** Must not appear in errors. */
  readonly secrets: readonly string[];
  /** Carries the signature. */
  readonly signatureHeader: string;
  /** Maximum age of a delivery. */
  readonly maxAgeSeconds: number;
  /** Returns the webhook of the payment. */
  pay(
    sessionReference: string,
    options?: { readonly ageSeconds?: number; readonly isForged?: boolean },
  ): WebhookRequest;
  /** Correctly signed, but different from the request. */
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

/** 12.34 EUR, with a new key. */
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

/** Reason of an AppError. */
export async function reasonOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    return (error as { reason?: string }).reason ?? String(error);
  }
  return 'no error';
}
