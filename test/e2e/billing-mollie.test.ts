import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { LocalMollie } from './support/mollie.js';
import { bootStack, type TestStack } from './support/stack.js';

describe('a purchase through Mollie', function () {
  this.timeout(240_000);
  const mollie = new LocalMollie();
  let test: TestStack;
  before(async () => {
    await mollie.start();
    test = await bootStack(mollie.environment);
  });
  after(async () => {
    await test?.stop();
    mollie.stop();
  });

  const paymentOf = (url: string | null) => new URL(url ?? '').pathname.split('/').at(-1) ?? '';
  const order = async () => {
    const { data: products } = await test.admin.get('/store/products');
    const items = [{ product_id: products[0]?.id ?? '' }];
    const { data } = await test.admin.post('/store/checkout', { body: { payment_method: 'mollie', items } });
    const serviceId = data.services[0]?.id ?? '';
    return { paymentId: paymentOf(data.payment_url), invoiceId: data.invoice.id, serviceId };
  };
  const deliver = async (body: string, headers: Record<string, string> = {}) => {
    const url = `${test.stack.baseUrl}/api/v1/billing/webhooks/mollie`;
    const form = { 'content-type': 'application/x-www-form-urlencoded', ...headers };
    return (await fetch(url, { method: 'POST', body, headers: form })).status;
  };
  const invoiceOf = async (id: string) => (await test.admin.get('/billing/invoices/{id}', { params: { id } })).data;
  const untilActive = async (id: string) =>
    waitUntil(
      'the service to be active',
      async () => (await test.admin.get('/billing/services/{id}', { params: { id } })).data.status === 'active',
      90_000,
    );

  it('names Mollie among the payment methods', async () => {
    expect((await test.admin.get('/billing/payment-methods')).data.methods).to.include('mollie');
  });

  it('pays a purchase by a webhook that names the payment, starts the server and refunds at Mollie', async () => {
    const { paymentId, invoiceId, serviceId } = await order();
    expect(await deliver(`id=${paymentId}`)).to.equal(200);
    expect((await invoiceOf(invoiceId)).status).to.equal('unpaid');
    mollie.pay(paymentId);
    expect(await deliver(`id=${paymentId}`)).to.equal(200);
    const { status, payments } = await invoiceOf(invoiceId);
    expect([status, payments.map(({ method }) => method)]).to.deep.equal(['paid', ['mollie']]);
    await untilActive(serviceId);
    const { data } = await test.admin.post('/admin/billing/invoices/{id}/refund', {
      params: { id: invoiceId },
      body: { destination: 'original', reason: 'not wanted', cancel_services: true },
    });
    expect(data.invoice.status).to.equal('refunded');
    await waitUntil('the refund at Mollie', async () => mollie.refundsOf(paymentId).length === 1, 60_000);
    for (const refund of mollie.refundsOf(paymentId)) refund['status'] = 'refunded';
    expect(await deliver(`id=${paymentId}`)).to.equal(200);
    expect(mollie.refundsOf(paymentId)).to.have.length(1);
    expect((await invoiceOf(invoiceId)).status).to.equal('refunded');
  });

  it('counts a payment once, however often and at once its webhook comes', async () => {
    const { paymentId, invoiceId, serviceId } = await order();
    mollie.pay(paymentId);
    const statuses = await Promise.all(Array.from({ length: 20 }, async () => deliver(`id=${paymentId}`)));
    expect(new Set(statuses)).to.deep.equal(new Set([200]));
    expect((await invoiceOf(invoiceId)).payments).to.have.length(1);
    await untilActive(serviceId);
  });

  it('begins another payment after one that was canceled', async () => {
    const { paymentId, invoiceId } = await order();
    mollie.cancel(paymentId);
    expect(await deliver(`id=${paymentId}`)).to.equal(200);
    const { data } = await test.admin.post('/billing/invoices/{id}/pay', {
      params: { id: invoiceId },
      body: { payment_method: 'mollie' },
    });
    const second = paymentOf(data.payment_url);
    expect(second).not.to.equal(paymentId);
    mollie.pay(second);
    expect(await deliver(`id=${second}`)).to.equal(200);
    expect((await invoiceOf(invoiceId)).status).to.equal('paid');
  });

  it('refuses what names no payment, and learns nothing from what is forged', async () => {
    const before = mollie.lookups;
    const event = JSON.stringify({ entityId: 'tr_forged1', createdAt: new Date().toISOString() });
    expect(await deliver('id=tr_1/../customers')).to.be.within(400, 422);
    expect(await deliver(event, { 'content-type': 'application/json' })).to.equal(401);
    const signature = { 'content-type': 'application/json', 'x-mollie-signature': `sha256=${'0'.repeat(64)}` };
    expect(await deliver(event, signature)).to.equal(401);
    expect(mollie.lookups).to.equal(before);
    for (let time = 0; time < 3; time += 1) expect(await deliver('id=tr_forged1')).to.equal(200);
    expect(mollie.lookups).to.equal(before + 1);
  });
});
