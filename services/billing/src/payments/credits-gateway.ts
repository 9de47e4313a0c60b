import type { GatewayPayment, Money, PaymentGateway } from '../domain/payment-gateway.js';
import { fail } from './reasons.js';

export interface CreditMovement {
  readonly userId: string;
  readonly invoiceId: string;
  readonly amount: Money;
  /** The same key moves the money once. */
  readonly idempotencyKey: string;
}

/** The credit balances, as this gateway needs them. Both are idempotent by key and atomic; each gives its ledger entry. */
export interface CreditAccount {
  /** Throws CREDITS_INSUFFICIENT, or another AppError, when nothing was taken. */
  debit(movement: CreditMovement): Promise<{ readonly entryId: string }>;
  /** Gives back what `gatewayReference`, an entry of `debit`, took. */
  giveBack(
    movement: Omit<CreditMovement, 'userId'> & { readonly entryId: string },
  ): Promise<{ readonly entryId: string }>;
  listDebits(since: Date, until: Date): AsyncIterable<GatewayPayment>;
}

/** Payment from the customer's balance: paid at once, or not at all. */
export function createCreditsGateway(account: CreditAccount): PaymentGateway {
  const pay = async (request: {
    invoiceId: string;
    customer: { id: string };
    amount: Money;
    idempotencyKey: string;
  }) => {
    const { invoiceId, amount, idempotencyKey } = request;
    const entry = await account.debit({ userId: request.customer.id, invoiceId, amount, idempotencyKey });
    return { kind: 'paid', gatewayReference: entry.entryId } as const;
  };
  return {
    name: 'credits',
    canStoreMethods: false,
    canCharge: (amount) => amount.amountMinor > 0,
    createCheckout: pay,
    confirmCheckout: async () => [],
    chargeStored: pay,
    refund: async ({ invoiceId, amount, idempotencyKey, gatewayReference }) => {
      const entry = await account.giveBack({ invoiceId, amount, idempotencyKey, entryId: gatewayReference });
      return { kind: 'refunded', refundReference: entry.entryId };
    },
    parseWebhook: async () => {
      throw fail('WEBHOOK_NOT_SUPPORTED', 'this payment method has no webhook', { gateway: 'credits' });
    },
    listPayments: (since, until) => account.listDebits(since, until),
  };
}
