import type {
  ChargeRequest,
  ChargeResult,
  GatewayPayment,
  Money,
  PaymentEvent,
  PaymentSessionRequest,
  PaymentSessionResult,
  RefundRequest,
  RefundResult,
  WebhookRequest,
} from '../domain/payment.js';

/**
 * The one interface of everything that takes money: credits, manual transfers and the payment providers. A gateway
 * talks to its provider and keeps nothing: which invoice is paid is decided by billing from the events it reports.
 */

export interface PaymentGateway {
  /** As `payment_method` names it. */
  readonly name: string;
  /** Whether a method can be stored and charged without the customer. */
  readonly canStoreMethods: boolean;
  /** Whether this currency, with this amount, can be paid here. */
  canCharge(amount: Money): boolean;
  /**
   * Begin a payment. Idempotent by key. Throws CURRENCY_NOT_SUPPORTED, AMOUNT_NOT_REPRESENTABLE, GATEWAY_REJECTED,
   * GATEWAY_UNAVAILABLE (retry with the same key).
   */
  createSession(request: PaymentSessionRequest): Promise<PaymentSessionResult>;
  /** Ask the provider how a payment session stands, and complete it where that is ours to do. For lost webhooks. */
  confirmSession(sessionReference: string): Promise<readonly PaymentEvent[]>;
  /** Charge a stored method without the customer. Idempotent by key. Errors as `createSession`. */
  chargeStored(request: ChargeRequest): Promise<ChargeResult>;
  /** Give money back, all or part. Idempotent by key. Errors as `createSession`. */
  refund(request: RefundRequest): Promise<RefundResult>;
  /**
   * Verify and read a webhook. Messages that concern no invoice of ours give an empty list. Throws
   * WEBHOOK_SIGNATURE_INVALID, WEBHOOK_MALFORMED, WEBHOOK_TOO_LARGE, WEBHOOK_NOT_SUPPORTED, GATEWAY_UNAVAILABLE.
   */
  parseWebhook(request: WebhookRequest): Promise<readonly PaymentEvent[]>;
  /** Completed payments of invoices of ours with `since` <= time < `until`. */
  listPayments(since: Date, until: Date): AsyncIterable<GatewayPayment>;
}

/** The gateways this installation offers, by name. Credits are none: they are paid from the ledger itself. */
export type PaymentGateways = ReadonlyMap<string, PaymentGateway>;
