import { itHoldsTheGatewayContract } from './contract.js';
import { startClassicMollie, startMollie } from './mollie-fixture.js';
import { itHoldsTheProviderContract, itRefusesForgedWebhooks } from './provider-contract.js';

describe('the Mollie gateway', () => {
  describe('with signed events', () => {
    const start = () => startMollie();
    itHoldsTheGatewayContract(start);
    itHoldsTheProviderContract(start);
    itRefusesForgedWebhooks(start);
  });

  describe('with webhooks of a payment', () => {
    itHoldsTheGatewayContract(startClassicMollie);
    itHoldsTheProviderContract(startClassicMollie);
  });
});
