import { randomUUID } from 'node:crypto';
import { pause } from '@panel/kit/async';
import { ApiError } from '@panel/client';
import { realTime, waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { sharedStack } from '../support/shared-stack.js';
import type { SharedStack } from '../support/stack.js';

const purchases = 6;
const kills = 8;

describe('purchases while billing and servers are killed', function () {
  this.timeout(300_000);
  let test: SharedStack;
  before(async () => {
    test = await sharedStack();
  });

  /** One purchase by one key, repeated until answered. */
  const buy = async (productId: string) => {
    const idempotencyKey = randomUUID();
    const body = { payment_method: 'credits', items: [{ product_id: productId }] };
    for (;;) {
      try {
        return (await test.admin.post('/store/checkout', { body, idempotencyKey })).data;
      } catch (error) {
        // In progress elsewhere, undone, or unavailable: repeat the request.
        if (!(error instanceof ApiError) || ![409, 500, 503].includes(error.status)) throw error;
        await realTime(250, 'a service restarts');
      }
    }
  };

  it('makes one server and one debit for each purchase', async () => {
    const amount = { amount: 100_000, currency: 'EUR' };
    const granted = { params: { id: test.adminId }, body: { amount, reason: 'test' } };
    await test.admin.post('/admin/users/{id}/credits', granted);
    const { data: products } = await test.admin.get('/store/products');
    const product = products.find(({ slug }) => slug === 'lantern-caverns');
    if (!product) throw new Error('the shop sells nothing');
    const before = (await test.admin.get('/billing/credits')).data.balance;
    const countOrders = async () => (await test.admin.get('/admin/billing/orders')).meta.total;
    const ordersBefore = await countOrders();
    const killing = (async () => {
      for (let count = 0; count < kills; count++) {
        const name = count % 2 === 0 ? 'billing' : 'servers';
        await test.stack.kill(name, 'SIGKILL');
        await test.stack.whenReady(name);
        await pause(200 + 150 * count);
      }
    })();
    const orders = await Promise.all(Array.from({ length: purchases }, async () => buy(product.id)));
    await killing;
    const serviceIds = orders.flatMap(({ services }) => services.map(({ id }) => id));
    expect(new Set(serviceIds).size).to.equal(purchases);
    await waitUntil(
      'the servers of all services',
      async () => {
        const { data } = await test.admin.get('/billing/services', { query: { per_page: 100, status: 'active' } });
        return data.length === purchases;
      },
      120_000,
    );
    const { data: servers } = await test.admin.get('/admin/servers', { query: { per_page: 100 } });
    const made = servers.map(({ external_id: id }) => id).filter((id) => serviceIds.includes(id ?? ''));
    expect(made).to.have.members(serviceIds);
    const { data: credits } = await test.admin.get('/billing/credits');
    expect(credits.balance).to.equal(before - purchases * 299);
    expect((await countOrders()) - ordersBefore).to.equal(purchases);
  });
});
