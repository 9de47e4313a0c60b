import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { LocalPayPal, signedWebhook } from './support/paypal.js';
import { bootStack, type TestStack } from './support/stack.js';

describe('a purchase through PayPal', function () {
  this.timeout(240_000);
  const paypal = new LocalPayPal();
  let test: TestStack;
  before(async () => {
    await paypal.start();
    test = await bootStack(paypal.environment);
  });
  after(async () => {
    await test?.stop();
    paypal.stop();
  });

  const order = async () => {
    const { data: products } = await test.admin.get('/store/products');
    const items = [{ product_id: products[0]?.id ?? '' }];
    const { data } = await test.admin.post('/store/checkout', { body: { payment_method: 'paypal', items } });
    const orderId = new URL(data.payment_url ?? '').searchParams.get('token') ?? '';
    return { orderId, invoiceId: data.invoice.id, serviceId: data.services[0]?.id ?? '' };
  };
  const deliver = async (payload: Record<string, unknown>, isForged = false) => {
    const { body, headers } = signedWebhook(payload, isForged);
    const url = `${test.stack.baseUrl}/api/v1/billing/webhooks/paypal`;
    return (await fetch(url, { method: 'POST', body, headers })).status;
  };
  const invoiceOf = async (id: string) => (await test.admin.get('/billing/invoices/{id}', { params: { id } })).data;
  const untilActive = async (id: string) => {
    await waitUntil(
      'the service to be active',
      async () => (await test.admin.get('/billing/services/{id}', { params: { id } })).data.status === 'active',
      90_000,
    );
    return (await test.admin.get('/billing/services/{id}', { params: { id } })).data;
  };

  it('captures a PayPal purchase by a signed webhook, starts the server and refunds at PayPal', async () => {
    const { orderId, invoiceId, serviceId } = await order();
    expect((await invoiceOf(invoiceId)).status).to.equal('unpaid');
    const approved = paypal.approve(orderId);
    const [captures, refunds] = [paypal.captures, paypal.refunds];
    expect(await deliver(approved, true)).to.be.within(400, 499);
    expect([paypal.captures, (await invoiceOf(invoiceId)).status]).to.deep.equal([captures, 'unpaid']);
    expect(await deliver(approved)).to.equal(204);
    await waitUntil('the payment', async () => (await invoiceOf(invoiceId)).status === 'paid', 30_000);
    const service = await untilActive(serviceId);
    expect(service.server_id).to.be.a('string');
    const { data } = await test.admin.post('/admin/billing/invoices/{id}/refund', {
      params: { id: invoiceId },
      body: { destination: 'original', reason: 'not wanted', cancel_services: true },
    });
    expect(data.invoice.status).to.equal('refunded');
    await waitUntil('the refund at PayPal', async () => paypal.refunds === refunds + 1, 60_000);
  });

  it('pays a PayPal purchase once by webhooks that come many times, out of order, and while a capture is late', async () => {
    const active = async () =>
      (await test.admin.get('/billing/services', { query: { status: 'active' } })).data.map(({ id }) => id);
    const before = await active();
    const { orderId, invoiceId, serviceId } = await order();
    const captures = paypal.captures;
    paypal.captureDelayMs = 1_500;
    const approved = paypal.approve(orderId);
    await Promise.all(Array.from({ length: 10 }, async () => deliver(approved)));
    await waitUntil('the payment', async () => (await invoiceOf(invoiceId)).status === 'paid', 60_000);
    const completed = paypal.captureEvent(orderId);
    const statuses = await Promise.all([completed, approved, completed, approved].map(async (event) => deliver(event)));
    expect(statuses).to.deep.equal([204, 204, 204, 204]);
    await untilActive(serviceId);
    expect(paypal.captures).to.equal(captures + 1);
    expect((await invoiceOf(invoiceId)).payments.map(({ method }) => method)).to.deep.equal(['paypal']);
    expect((await active()).filter((id) => !before.includes(id))).to.deep.equal([serviceId]);
  });
});
