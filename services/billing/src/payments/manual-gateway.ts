import type { PaymentGateway } from './payment-gateway.js';
import { fail } from './reasons.js';

/** An operator marks payments and refunds. */
export function createManualGateway(): PaymentGateway {
  return {
    name: 'manual',
    canStoreMethods: false,
    canCharge: (amount) => amount.amountMinor > 0,
    createSession: async ({ invoiceId }) => ({ kind: 'pending', gatewayReference: `manual:${invoiceId}` }),
    confirmSession: async () => [],
    chargeStored: async () => {
      throw fail('STORED_METHODS_NOT_SUPPORTED', 'a transfer cannot be charged', { gateway: 'manual' });
    },
    refund: async ({ idempotencyKey }) => ({ kind: 'pending', refundReference: `manual:${idempotencyKey}` }),
    parseWebhook: async () => {
      throw fail('WEBHOOK_NOT_SUPPORTED', 'this payment method has no webhook', { gateway: 'manual' });
    },
    async *listPayments() {},
  };
}
