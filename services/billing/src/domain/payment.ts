/** What billing and the gateways of payments say to one another: requests, results and events, without a provider. */

/** An amount in minor units of an ISO 4217 currency (upper case). Always a safe integer. */
export interface Money {
  readonly amountMinor: number;
  readonly currency: string;
}

interface PaymentCustomer {
  readonly id: string;
  readonly email: string;
  /** The customer at the provider, from an earlier `method_saved`. */
  readonly gatewayCustomerReference?: string | undefined;
}

/** A payment method the customer left at the provider, from a `method_saved` event. */
export interface StoredMethod {
  readonly customerReference: string;
  readonly methodReference: string;
}

export interface PaymentSessionRequest {
  readonly invoiceId: string;
  readonly amount: Money;
  /** One line the customer sees at the provider. */
  readonly description: string;
  readonly customer: PaymentCustomer;
  /** Where the provider sends the customer afterwards. */
  readonly returnUrl: string;
  /** The same key always leads to the same payment session, whatever was lost in between. */
  readonly idempotencyKey: string;
  /** Keep the method for later charges without the customer. */
  readonly savePaymentMethod: boolean;
}

/** `redirect`: the customer pays at `url`. `paid`: done. `pending`: unpaid until an operator marks it. */
export type PaymentSessionResult =
  | { readonly kind: 'redirect'; readonly url: string; readonly gatewayReference: string }
  | { readonly kind: 'paid'; readonly gatewayReference: string }
  | { readonly kind: 'pending'; readonly gatewayReference: string };

export interface ChargeRequest extends Omit<PaymentSessionRequest, 'returnUrl' | 'savePaymentMethod'> {
  readonly method: StoredMethod;
}

/** `pending`: an event follows. `declined`: the provider refused permanently; `code` is its word for why. */
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

/** `pending`: the provider, or an operator, completes it later. */
export interface RefundResult {
  readonly kind: 'refunded' | 'pending';
  readonly refundReference: string;
}

/** A request as it arrived: the exact bytes, and every value of every header, names in lower case. */
export interface WebhookRequest {
  readonly rawBody: Uint8Array;
  readonly headers: Readonly<Record<string, readonly string[]>>;
}

interface PaymentEventBase {
  /**
   * Names the fact, not the notification: however often and by whichever way a payment is reported, its `paid` event has
   * one id. Applying each id once makes replays and repeats harmless.
   */
  readonly eventId: string;
  /** The payment at the provider. `refund` takes it. */
  readonly gatewayReference: string;
  /** What `createSession` returned, where the provider's message names it. */
  readonly sessionReference: string | null;
  /** As we sent it to the provider; the receiver compares it with what it stored. */
  readonly invoiceId: string;
  /** Money that moved, as the provider reports it; the receiver compares it with the invoice. */
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

/** A completed payment in the provider's books, for reconciliation. */
export interface GatewayPayment {
  readonly gatewayReference: string;
  readonly invoiceId: string;
  readonly amount: Money;
  readonly paidAt: Date;
}

/** A payment method that a gateway keeps for a customer. */
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
