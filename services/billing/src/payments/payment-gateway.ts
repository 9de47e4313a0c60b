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

/** Interface of payment providers. A gateway is stateless: billing decides by its events which invoice is paid. */

export interface PaymentGateway {
  /** As in `payment_method`. */
  readonly name: string;
  /** Methods can be stored and charged without the customer. */
  readonly canStoreMethods: boolean;
  /** True: currency and amount are payable here. */
  canCharge(amount: Money): boolean;
  /**
   * Idempotent by key. Throws CURRENCY_NOT_SUPPORTED, AMOUNT_NOT_REPRESENTABLE, GATEWAY_REJECTED, GATEWAY_UNAVAILABLE
   * (retry with the same key).
   */
  createSession(request: PaymentSessionRequest): Promise<PaymentSessionResult>;
  /** Queries a payment session, and completes it where necessary. For lost webhooks. */
  confirmSession(sessionReference: string): Promise<readonly PaymentEvent[]>;
  /** Without the customer. Idempotent by key. Errors as `createSession`. */
  chargeStored(request: ChargeRequest): Promise<ChargeResult>;
  /** In full or part. Idempotent by key. Errors as `createSession`. */
  refund(request: RefundRequest): Promise<RefundResult>;
  /**
   * Empty: the message concerns no own invoice. Throws WEBHOOK_SIGNATURE_INVALID, WEBHOOK_MALFORMED, WEBHOOK_TOO_LARGE,
   * WEBHOOK_NOT_SUPPORTED, GATEWAY_UNAVAILABLE.
   */
  parseWebhook(request: WebhookRequest): Promise<readonly PaymentEvent[]>;
  /** Completed payments of own invoices, `since` <= time < `until`. */
  listPayments(since: Date, until: Date): AsyncIterable<GatewayPayment>;
}

/** By name, without credits: the ledger pays them. */
export type PaymentGateways = ReadonlyMap<string, PaymentGateway>;
