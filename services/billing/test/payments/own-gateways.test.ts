import { createCreditsGateway, type CreditAccount } from '../../src/payments/credits-gateway.js';
import { createManualGateway } from '../../src/payments/manual-gateway.js';
import { itHoldsTheGatewayContract } from './contract.js';

/** Balances with what the interface asks: one movement for one key. */
function memoryAccount(): {
  readonly account: CreditAccount;
  readonly debits: Set<string>;
  readonly refunds: Set<string>;
} {
  const debits = new Set<string>();
  const refunds = new Set<string>();
  const account: CreditAccount = {
    debit: async ({ idempotencyKey }) => {
      debits.add(idempotencyKey);
      return { entryId: idempotencyKey };
    },
    giveBack: async ({ idempotencyKey }) => {
      refunds.add(idempotencyKey);
      return { entryId: idempotencyKey };
    },
    async *listDebits() {},
  };
  return { account, debits, refunds };
}

describe('the manual gateway', () => {
  itHoldsTheGatewayContract(async () => ({
    gateway: createManualGateway(),
    checkout: 'pending',
    count: () => 0,
    stop: async () => {},
  }));
});

describe('the credits gateway', () => {
  itHoldsTheGatewayContract(async () => {
    const { account, debits, refunds } = memoryAccount();
    return {
      gateway: createCreditsGateway(account),
      checkout: 'paid',
      count: (what) => (what === 'checkouts' ? debits : refunds).size,
      stop: async () => {},
    };
  });
});
