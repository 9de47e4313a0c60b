import { setTimeout as pause } from 'node:timers/promises';
import { createPanelClient, type PanelClient } from '@panel/client';
import { expect } from 'chai';
import { bootStack, type TestStack } from './support/stack.js';

describe('store over REST', function () {
  this.timeout(180_000);
  let test: TestStack;

  before(async () => {
    test = await bootStack();
  });
  after(async () => test?.stop());

  it('sells the demo server for credits and creates it', async () => {
    const { data: products } = await test.admin.get('/store/products');
    const product = products.find(({ slug }) => slug === 'lantern-caverns');
    expect(product?.plans.map(({ interval }) => interval)).to.deep.equal(['month', 'year', 'metered']);
    await test.admin.post('/store/cart', {
      body: { product_id: product?.id ?? '', config: { server_name: 'Bought' } },
    });
    const before = (await test.admin.get('/billing/credits')).data.balance;
    const { data } = await test.admin.post('/store/checkout', { body: { payment_method: 'credits' } });
    expect(data.invoice.status).to.equal('paid');
    expect((await test.admin.get('/billing/credits')).data.balance).to.equal(before - 299);
    const serviceId = data.services[0]?.id ?? '';
    const service = await eventually(async () => {
      const { data: found } = await test.admin.get('/billing/services/{id}', { params: { id: serviceId } });
      return found.status === 'active' ? found : null;
    });
    const { data: server } = await test.admin.get('/servers/{id}', { params: { id: service.server_id ?? '' } });
    expect(server.name).to.equal('Bought');
    expect(server.limits.memory).to.equal(256);
    const { data: order } = await test.admin.get('/billing/orders/{id}', { params: { id: data.order.id } });
    expect(order.status).to.equal('completed');
  });

  it('answers 404 for invoices of other users and 403 for billing administration', async () => {
    const user = { email: 'buyer@panel.test', username: 'buyer', password: 'a long enough password' };
    await test.admin.post('/admin/users', { body: user });
    const anonymous = createPanelClient({ baseUrl: test.stack.baseUrl });
    const { access_token: token } = await anonymous.login(user.email, user.password);
    const buyer: PanelClient = createPanelClient({ baseUrl: test.stack.baseUrl, token });
    const { data: invoices } = await test.admin.get('/billing/invoices');
    const get = async (path: string) =>
      (await fetch(`${test.stack.baseUrl}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } })).status;
    expect(await get(`/billing/invoices/${invoices[0]?.id}`)).to.equal(404);
    expect(await get('/admin/billing/orders')).to.equal(403);
    expect((await buyer.get('/billing/credits')).data.balance).to.equal(0);
  });

  it('shows orders, revenue and open invoices to staff as JSON and CSV', async () => {
    expect((await test.admin.get('/admin/billing/orders')).meta.total).to.be.above(0);
    const { data } = await test.admin.get('/admin/billing/reports/revenue');
    expect(data.rows.at(-1)).to.include({ amount: 299, currency: 'EUR' });
    const { access_token: token } = await createPanelClient({ baseUrl: test.stack.baseUrl }).login(
      test.stack.adminEmail,
      test.password,
    );
    const csv = await fetch(`${test.stack.baseUrl}/api/v1/admin/billing/reports/revenue?format=csv`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(csv.headers.get('content-type')).to.contain('text/csv');
    expect(await csv.text()).to.contain('Lantern Caverns,299,EUR');
  });
});

/** Polls, because a service becomes active without anything that could be awaited. */
async function eventually<T>(look: () => Promise<T | null>): Promise<T> {
  const until = performance.now() + 60_000;
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    if (performance.now() > until) throw new Error('it did not happen within a minute');
    await pause(200);
  }
}
