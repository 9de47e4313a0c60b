import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { sharedStack } from '../support/shared-stack.js';

const price = 299;

describe('a purchase while servers is killed in its creation', function () {
  this.timeout(240_000);
  let test: Awaited<ReturnType<typeof sharedStack>>;
  before(async () => {
    test = await sharedStack();
  });

  for (const point of ['create.reserved', 'create.stored'] as const) {
    it(`makes one server and one debit when servers is killed at ${point}`, async () => {
      const failpoint = await test.armFailpoint(point);
      const before = (await test.admin.get('/billing/credits')).data.balance;
      const { data: products } = await test.admin.get('/store/products');
      const product = products.find(({ slug }) => slug === 'lantern-caverns');
      const items = [{ product_id: product?.id ?? '' }];
      const { data } = await test.admin.post('/store/checkout', { body: { payment_method: 'credits', items } });
      const params = { id: data.services[0]?.id ?? '' };
      await waitUntil(
        'the service to be active',
        async () => {
          const found = await test.admin.get('/billing/services/{id}', { params }).catch(() => null);
          return found?.data.status === 'active';
        },
        120_000,
      );
      expect(failpoint.isReached()).to.equal(true);
      const { data: made } = await test.admin.get('/admin/servers', { query: { per_page: 100 } });
      expect(made.filter(({ external_id: id }) => id === params.id)).to.have.length(1);
      expect((await test.admin.get('/billing/credits')).data.balance).to.equal(before - price);
    });
  }
});
