import type { PaymentEvent, PaymentGateway } from '../domain/payment-gateway.js';

/** For webhooks that never come: a gateway that can be asked how a checkout stands. */
export interface CheckoutConfirmation {
  /**
   * The events of a checkout so far, with the same ids as by webhook. Completes it where that is ours to do. Takes the
   * reference that `createCheckout` returned.
   */
  confirmCheckout(checkoutReference: string): Promise<readonly PaymentEvent[]>;
}

export type ProviderGateway = PaymentGateway & CheckoutConfirmation;
