import { date, id, type RecordOf, text } from '@panel/kit/records';

/** Independent of providers. */

/** A safe integer in minor units; ISO 4217 in upper case. */
export interface Money {
  readonly amountMinor: number;
  readonly currency: string;
}

interface PaymentCustomer {
  readonly id: string;
  readonly email: string;
  /** From an earlier `method_saved`. */
  readonly gatewayCustomerReference?: string | undefined;
}

/** From a `method_saved` event. */
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
  readonly returnUrl: string;
  /** Equal keys give the same payment session. */
  readonly idempotencyKey: string;
  /** For charges without the customer. */
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
  /** Of a session, a charge or a `paid` event. */
  readonly gatewayReference: string;
  readonly amount: Money;
  readonly idempotencyKey: string;
}

/** `pending`: the provider or an operator completes it later. */
export interface RefundResult {
  readonly kind: 'refunded' | 'pending';
  readonly refundReference: string;
}

/** Exact bytes, all header values; names in lower case. */
export interface WebhookRequest {
  readonly rawBody: Uint8Array;
  readonly headers: Readonly<Record<string, readonly string[]>>;
}

interface PaymentEventBase {
  /** Identifies the fact, not the notification: a payment has one `paid` id however reported. Applied once. */
  readonly eventId: string;
  /** For `refund`. */
  readonly gatewayReference: string;
  /** From `createSession`, if named by the message. */
  readonly sessionReference: string | null;
  /** As sent; the receiver compares it. */
  readonly invoiceId: string;
  /** As reported; the receiver compares it. */
  readonly amount: Money;
  readonly occurredAt: Date;
}

export type PaymentEvent =
  /** `cardCountry`: ISO 3166-1 alpha-2. */
  | (PaymentEventBase & { readonly type: 'paid'; readonly cardCountry?: string })
  /** Accepted, and paid or failed within days: a transfer, a debit, a review. */
  | (PaymentEventBase & { readonly type: 'pending' })
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

export interface GatewayPayment {
  readonly gatewayReference: string;
  readonly invoiceId: string;
  readonly amount: Money;
  readonly paidAt: Date;
}

export const storedMethodFields = {
  id,
  userId: id,
  gateway: id,
  customerReference: id,
  methodReference: id,
  label: text,
  createdAt: date,
};
export type StoredMethodRecord = RecordOf<typeof storedMethodFields>;

export interface StoredEvent {
  readonly id: string;
  readonly gateway: string;
  readonly event: PaymentEvent;
}
