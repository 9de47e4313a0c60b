import type { Money } from './money.js';

/** What a gateway is asked to collect. */
export interface CheckoutRequest {
  readonly invoiceId: string;
  readonly amount: Money;
  /** One line for the payment page, e.g. "Invoice INV-000042". */
  readonly description: string;
  readonly customer: { readonly id: string; readonly email: string };
  /** Where the payment page sends the customer back to; an address of the panel. */
  readonly returnUrl: string;
  /** The same for every repetition of this request: the gateway must start at most one payment for it. */
  readonly idempotencyKey: string;
  /** Keep the payment method for renewals, where the gateway can. */
  readonly savePaymentMethod: boolean;
}

/** Either the customer has to visit a payment page, or the money is there already. */
export type CheckoutResult =
  | { readonly kind: 'redirect'; readonly url: string; readonly gatewayReference: string }
  | { readonly kind: 'paid'; readonly gatewayReference: string };

/** A payment without the customer, by a method the gateway has stored. */
export interface StoredChargeRequest {
  readonly invoiceId: string;
  readonly amount: Money;
  readonly description: string;
  readonly customer: { readonly id: string; readonly email: string };
  /** The gateway's own name of the stored method, from a `method_saved` event. */
  readonly methodReference: string;
  readonly idempotencyKey: string;
}

/** `pending`: an event will tell. */
export type StoredChargeResult =
  | { readonly kind: 'paid'; readonly gatewayReference: string }
  | { readonly kind: 'pending'; readonly gatewayReference: string }
  | { readonly kind: 'declined'; readonly reason: string };

export interface RefundRequest {
  /** Of the payment, as in its `paid` event. */
  readonly gatewayReference: string;
  readonly amount: Money;
  /** The same for every repetition: the gateway must refund once. */
  readonly idempotencyKey: string;
}

export interface RefundResult {
  readonly refundReference: string;
}

/** A webhook as it came. Header names in lower case. */
export interface WebhookRequest {
  readonly rawBody: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

interface EventBase {
  /** Unique per gateway: each is applied once, however often it is delivered. */
  readonly eventId: string;
  readonly at: Date;
}

/** What a gateway tells. `amount` is what moved, in the currency it moved in. */
export type PaymentEvent =
  | (EventBase & {
      readonly kind: 'paid' | 'failed' | 'refunded' | 'disputed';
      /** Of the payment; for `refunded` and `disputed` the one of the original payment. */
      readonly gatewayReference: string;
      readonly invoiceId: string;
      readonly amount: Money;
      /** Why, for `failed` and `disputed`; empty otherwise. */
      readonly reason: string;
    })
  | (EventBase & {
      readonly kind: 'method_saved';
      readonly customerId: string;
      readonly methodReference: string;
      /** For people: "Visa •••• 4242". */
      readonly label: string;
    });

/** One payment as the gateway lists it, for reconciliation. */
export interface GatewayPayment {
  readonly gatewayReference: string;
  readonly invoiceId: string;
  readonly amount: Money;
  readonly status: 'paid' | 'failed' | 'refunded' | 'disputed';
  readonly at: Date;
}

/**
 * A way to collect money outside the panel. All methods may be repeated with the same idempotency key. They throw AppError:
 * PAYMENT_GATEWAY_UNAVAILABLE (`unavailable`) when the gateway does not answer in time, PAYMENT_REFUSED
 * (`failed_precondition`) when it answers that it will not.
 */
export interface PaymentGateway {
  /** As in `payment_method` and in the address of its webhook: small letters, digits and `-`. */
  readonly name: string;
  createCheckout(request: CheckoutRequest): Promise<CheckoutResult>;
  chargeStored(request: StoredChargeRequest): Promise<StoredChargeResult>;
  refund(request: RefundRequest): Promise<RefundResult>;
  /**
   * The events of a webhook; none for kinds that do not matter here. Throws WEBHOOK_INVALID (`invalid_argument`) unless the
   * signature is right and recent: nothing of it is believed before that.
   */
  parseWebhook(request: WebhookRequest): Promise<readonly PaymentEvent[]>;
  /** Payments since a time, oldest first. */
  listPayments(since: Date): AsyncIterable<GatewayPayment>;
}
