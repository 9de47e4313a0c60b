/** Provider-independent requests, results and events of gateways. */

/** Minor units (a safe integer) of an ISO 4217 currency in upper case. */
export interface Money {
  readonly amountMinor: number;
  readonly currency: string;
}

interface PaymentCustomer {
  readonly id: string;
  readonly email: string;
  /** Customer at the provider, from an earlier `method_saved`. */
  readonly gatewayCustomerReference?: string | undefined;
}

/** Method stored at the provider, from a `method_saved` event. */
export interface StoredMethod {
  readonly customerReference: string;
  readonly methodReference: string;
}

export interface PaymentSessionRequest {
  readonly invoiceId: string;
  readonly amount: Money;
  /** One line, shown by the provider. */
  readonly description: string;
  readonly customer: PaymentCustomer;
  /** The provider redirects the customer there. */
  readonly returnUrl: string;
  /** The same key always gives the same payment session. */
  readonly idempotencyKey: string;
  /** Stores the method for charges without the customer. */
  readonly savePaymentMethod: boolean;
}

/** `redirect`: the customer pays at `url`. `pending`: unpaid until an operator marks it. */
export type PaymentSessionResult =
  | { readonly kind: 'redirect'; readonly url: string; readonly gatewayReference: string }
  | { readonly kind: 'paid'; readonly gatewayReference: string }
  | { readonly kind: 'pending'; readonly gatewayReference: string };

export interface ChargeRequest extends Omit<PaymentSessionRequest, 'returnUrl' | 'savePaymentMethod'> {
  readonly method: StoredMethod;
}

/** `pending`: an event follows. `declined`: permanent; `code` is the provider's. */
export type ChargeResult =
  | { readonly kind: 'paid'; readonly gatewayReference: string }
  | { readonly kind: 'pending'; readonly gatewayReference: string }
  | { readonly kind: 'declined'; readonly code: string };

export interface RefundRequest {
  readonly invoiceId: string;
  /** Of a payment session, a charge or a `paid` event. */
  readonly gatewayReference: string;
  readonly amount: Money;
  readonly idempotencyKey: string;
}

/** `pending`: the provider or an operator completes it later. */
export interface RefundResult {
  readonly kind: 'refunded' | 'pending';
  readonly refundReference: string;
}

/** Exact bytes, and every value of every header; names in lower case. */
export interface WebhookRequest {
  readonly rawBody: Uint8Array;
  readonly headers: Readonly<Record<string, readonly string[]>>;
}

interface PaymentEventBase {
  /**
   * Identifies the fact, not the notification: a payment has one `paid` id by whichever way it is reported. Applying
   * each id once makes replays harmless.
   */
  readonly eventId: string;
  /** Payment at the provider, for `refund`. */
  readonly gatewayReference: string;
  /** From `createSession`, where the provider's message names it. */
  readonly sessionReference: string | null;
  /** As sent to the provider; the receiver compares it with its own. */
  readonly invoiceId: string;
  /** As reported by the provider; the receiver compares it with the invoice. */
  readonly amount: Money;
  readonly occurredAt: Date;
}

export type PaymentEvent =
  | (PaymentEventBase & { readonly type: 'paid' })
  | (PaymentEventBase & { readonly type: 'failed'; readonly code: string })
  | (PaymentEventBase & { readonly type: 'refunded'; readonly refundReference: string })
  | (PaymentEventBase & {
      readonly type: 'disputed';
      readonly disputeReference: string;
      readonly outcome: 'open' | 'won' | 'lost';
    })
  | (PaymentEventBase & {
      readonly type: 'method_saved';
      readonly customerId: string;
      readonly method: StoredMethod;
      /** For people: `visa •••• 4242`. */
      readonly label: string;
    });

/** Completed payment in the provider's books. */
export interface GatewayPayment {
  readonly gatewayReference: string;
  readonly invoiceId: string;
  readonly amount: Money;
  readonly paidAt: Date;
}

/** Method of a customer, stored at a gateway. */
export interface StoredMethodRecord extends StoredMethod {
  readonly id: string;
  readonly userId: string;
  readonly gateway: string;
  readonly label: string;
  readonly createdAt: Date;
}

export interface StoredEvent {
  readonly id: string;
  readonly gateway: string;
  readonly event: PaymentEvent;
}
