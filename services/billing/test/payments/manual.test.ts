import { createManualGateway } from '../../src/payments/manual-gateway.js';
import { itHoldsTheGatewayContract } from './contract.js';

describe('the manual gateway', () => {
  itHoldsTheGatewayContract(async () => ({
    gateway: createManualGateway(),
    checkout: 'pending',
    count: () => 0,
    stop: async () => {},
  }));
});
