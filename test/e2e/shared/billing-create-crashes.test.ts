import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { bootStack } from './support/stack.js';

const price = 299;

describe('a purchase while servers is killed in its creation', function () {
  this.timeout(240_000);
  let directory: string;
  before(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'panel-create-'));
  });
  after(async () => rm(directory, { recursive: true, force: true }));

  for (const point of ['create.reserved', 'create.stored']) {
    it(`makes one server and one debit when servers is killed at ${point}`, async () => {
      const once = path.join(directory, point);
      const servers = { FAILPOINT: `${point}:kill:${once}` };
      const test = await bootStack({}, { overrides: { servers } });
      try {
        const before = (await test.admin.get('/billing/credits')).data.balance;
        const { data: products } = await test.admin.get('/store/products');
        const items = [{ product_id: products[0]?.id ?? '' }];
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
        expect(existsSync(once)).to.equal(true);
        const { data: made } = await test.admin.get('/admin/servers', { query: { per_page: 100 } });
        expect(made.filter(({ external_id: id }) => id === params.id)).to.have.length(1);
        expect((await test.admin.get('/billing/credits')).data.balance).to.equal(before - price);
      } finally {
        await test.stop();
      }
    });
  }
});
