import { randomUUID } from 'node:crypto';
import { AppError } from '@panel/kit/errors';
import { type CheckoutRequest, OrderServiceService } from '@panel/protos/billing';
import { expect } from 'chai';
import { fake, serveFakes } from '../support/fake-service.js';
import { Fixture } from '../support/fixture.js';
import { gatewayFor, signIn } from '../support/gateway.js';
import { send } from '../support/request.js';

describe('the place of a checkout', () => {
  const fixture = new Fixture();
  const checkouts: CheckoutRequest[] = [];
  let billing: Awaited<ReturnType<typeof serveFakes>>;

  before(async () => {
    await fixture.start();
    const checkout = async (request: CheckoutRequest) => {
      checkouts.push(request);
      throw new AppError('aborted', 'CART_CHANGED', 'the cart was bought by another request');
    };
    billing = await serveFakes([fake(OrderServiceService, { checkout })]);
  });
  after(async () => {
    await billing.stop(0);
    await fixture.stop();
  });

  for (const [what, trustedProxies, country] of [
    ['passes on the country that a trusted proxy names', ['127.0.0.1'], 'FR'],
    ['does not believe a caller without a proxy', [], ''],
  ] as const) {
    it(what, async () => {
      const services = { ...fixture.addresses, billing: billing.address };
      const { url, running } = await gatewayFor(fixture, { services, countryHeader: 'cf-ipcountry', trustedProxies });
      const { token } = signIn(fixture, fixture.createUser());
      const json = { payment_method: 'manual', items: [{ product_id: randomUUID() }] };
      await send(url, '/api/v1/store/checkout', { json, token, headers: { 'CF-IPCountry': 'FR' } });
      await running.stop();
      expect(checkouts.at(-1)?.callerCountry).to.equal(country);
    });
  }
});
