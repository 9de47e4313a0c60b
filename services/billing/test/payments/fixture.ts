import { isAppError } from '@panel/kit';
import type { Money } from '../../src/domain/money.js';
import type { WebhookRequest } from '../../src/domain/payment-gateway.js';
import type { ProviderGateway } from '../../src/payments/checkout-confirmation.js';
import type { FaultServer } from './fault-server.js';

export interface WrongPayment {
  readonly amount?: Money;
  readonly invoiceId?: string;
}

/** A gateway under test, whose provider is a server of ours. */
export interface GatewayFixture {
  readonly gateway: ProviderGateway;
  /** How many payments and refunds the books of the provider hold. */
  count(what: 'checkouts' | 'refunds'): number;
  stop(): Promise<void>;
  readonly server: FaultServer;
  readonly clock: { now: Date };
  readonly attemptTimeoutMs: number;
  /** Path of the call that creates a checkout, and of the one that refunds. */
  readonly paths: { readonly checkout: string; readonly refund: string };
  /** What must never stand in an error. */
  readonly secrets: readonly string[];
  /** Header that carries the signature. */
  readonly signatureHeader: string;
  /** How old a delivery may be. */
  readonly maxAgeSeconds: number;
  /** The customer pays; the webhook that reports it. */
  pay(
    checkoutReference: string,
    options?: { readonly ageSeconds?: number; readonly isForged?: boolean },
  ): WebhookRequest;
  /** A payment that differs from what was asked, rightly signed. */
  payWrongly(checkoutReference: string, change: WrongPayment): WebhookRequest;
  /** Another notification of the same payment. */
  reportAgain(checkoutReference: string): WebhookRequest;
  reportRefund(refundReference: string): WebhookRequest;
  reportDispute(gatewayReference: string, outcome: 'open' | 'won' | 'lost'): WebhookRequest;
  reportForeignPayment(): WebhookRequest;
  reportUnknownKind(): WebhookRequest;
}

export const invoiceId = '0c5a2f6e-6f0d-4a57-9a2f-2f6f1f1f7a01';

export const euros = (amount: number): Money => ({ amount, currency: 'EUR' });

let keys = 0;

/** A checkout of 12.34 EUR with a key of its own. */
export function checkoutRequest(change: { amount?: Money; idempotencyKey?: string; savePaymentMethod?: boolean } = {}) {
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

/** The reason an AppError was thrown with; for webhooks and refusals, what exactly was wrong. */
export async function refusalOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (!isAppError(error)) return String(error);
    const detail = error.metadata['problem'] ?? error.metadata['issue'];
    return typeof detail === 'string' ? `${error.reason} ${detail}` : error.reason;
  }
  return 'no error';
}
