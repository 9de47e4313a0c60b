import {
  CheckoutRequest,
  Invoice_Status,
  RefundInvoiceRequest,
  RefundInvoiceRequest_Destination,
  Service_Status,
} from '@panel/protos/billing';
import { expect } from 'chai';
import { days, fieldsOf, newUserId } from '../harness.js';
import { camtEntry, camtOf } from '../bank/camt.js';
import { startStripeShop, type StripeShop } from '../stripe-shop.js';

describe('payments from credits and a gateway', function () {
  this.timeout(120_000);
  let shop: StripeShop;
  let { billing, stripe, server, receive, buy, pay, topUp, invoiceOf, statusOf, balanceOf, staff } = {} as StripeShop;
  beforeEach(async () => {
    shop = await startStripeShop();
    ({ billing, stripe, server, receive, buy, pay, topUp, invoiceOf, statusOf, balanceOf, staff } = shop);
  });
  afterEach(async () => {
    try {
      await billing.runUntilIdle();
      await billing.checkInvariants();
    } finally {
      await shop.stop();
    }
  });

  const payPart = async (user: string, invoiceId: string, method = 'stripe') => {
    const request = { invoiceId, paymentMethod: method, returnUrl: '', savePaymentMethod: false, useCredits: true };
    const { paymentUrl } = await billing.invoices.payInvoice(request, billing.as(user));
    return paymentUrl.split('/').at(-1) ?? '';
  };
  const partsOf = async (invoiceId: string) =>
    (await invoiceOf(invoiceId)).payments.map(({ method, amountMinor }) => [method, amountMinor]);
  const promotional = async (user: string) => (await billing.context.credits.holdings(user, 'EUR')).promotionalMinor;

  it('takes what credits there are, asks the gateway for the rest, and refunds each to where it came from', async () => {
    const user = newUserId();
    await topUp(user, 200);
    const { invoiceId, serviceId } = await buy(user, 'stripe');
    const sessionId = await payPart(user, invoiceId);
    expect(await balanceOf(user)).to.equal(0);
    await pay(sessionId, invoiceId);
    await billing.runUntilIdle();
    expect(await partsOf(invoiceId)).to.deep.equal([
      ['credits', 200],
      ['stripe', 299],
    ]);
    expect(await statusOf(user, serviceId)).to.equal(Service_Status.ACTIVE);
    const destination = RefundInvoiceRequest_Destination.ORIGINAL;
    await billing.invoices.refundInvoice(RefundInvoiceRequest.create({ invoiceId, destination, reason: 'x' }), staff());
    await billing.runUntilIdle();
    const refunds = server.requestsTo('/refunds').map(({ body }) => new URLSearchParams(body).get('amount'));
    expect(refunds).to.deep.equal(['299']);
    expect(await balanceOf(user)).to.equal(200);
  });

  it('takes credits in a checkout, once for 20 requests of one key', async () => {
    const user = newUserId();
    await billing.grant(user, 300);
    const product = await billing.sell();
    const items = [{ productId: product.id, planId: '', quantity: 1, config: undefined }];
    const request = CheckoutRequest.create({ paymentMethod: 'stripe', items, useCredits: true });
    const key = billing.as(user, [], newUserId());
    const all = await Promise.allSettled(Array.from({ length: 20 }, async () => billing.orders.checkout(request, key)));
    const placed = all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const ids = new Set(placed.map(({ invoice }) => invoice?.id));
    expect(ids.size).to.equal(1);
    expect(await balanceOf(user)).to.equal(0);
    const [invoiceId = ''] = ids;
    const urls = new Set(placed.map(({ paymentUrl }) => paymentUrl));
    expect(urls.size).to.equal(1);
    expect(await partsOf(invoiceId)).to.deep.equal([['credits', 300]]);
    await pay([...urls][0]?.split('/').at(-1) ?? '', invoiceId);
    expect((await invoiceOf(invoiceId)).status).to.equal('paid');
  });

  it('asks no gateway for what credits pay wholly, nor where there are none', async () => {
    const [rich, poor] = [newUserId(), newUserId()];
    await billing.grant(rich, 1_000);
    const { invoiceId } = await buy(rich, 'stripe');
    expect(await payPart(rich, invoiceId)).to.equal('');
    expect(await partsOf(invoiceId)).to.deep.equal([['credits', 499]]);
    const other = await buy(poor, 'stripe');
    const sessionId = await payPart(poor, other.invoiceId);
    expect(await partsOf(other.invoiceId)).to.deep.equal([]);
    await pay(sessionId, other.invoiceId);
    expect(await partsOf(other.invoiceId)).to.deep.equal([['stripe', 499]]);
  });

  it('takes nothing when the gateway would refuse the rest', async () => {
    const user = newUserId();
    await billing.grant(user, 100);
    const { invoiceId } = await buy(user, 'manual');
    const gateway = billing.gateways.get('stripe');
    if (!gateway) throw new Error('no gateway');
    billing.gateways.set('stripe', { ...gateway, canCharge: ({ amountMinor }) => amountMinor === 499 });
    expect(await fieldsOf(payPart(user, invoiceId))).to.deep.equal(['payment_method']);
    expect(await balanceOf(user)).to.equal(100);
    billing.gateways.set('stripe', gateway);
  });

  it('takes them once for 50 requests at once, and pays what is left once', async () => {
    const user = newUserId();
    await topUp(user, 150);
    const { invoiceId } = await buy(user, 'manual');
    const sessions = await Promise.all(Array.from({ length: 50 }, async () => payPart(user, invoiceId)));
    expect(new Set(sessions).size).to.equal(1);
    expect(await partsOf(invoiceId)).to.deep.equal([['credits', 150]]);
    await pay(sessions[0] ?? '', invoiceId);
    await receive(stripe.deliver(stripe.reportAgain(sessions[0] ?? '')));
    expect(await partsOf(invoiceId)).to.deep.equal([
      ['credits', 150],
      ['stripe', 349],
    ]);
  });

  it('gives back what was paid of an invoice that is void: credits to where they came from, money as credits', async () => {
    const user = newUserId();
    await billing.grant(user, 100);
    billing.settings.bank = { holder: 'Shop', iban: 'DE02120300000000202051', bic: '', instructions: '' };
    const { invoiceId } = await buy(user, 'manual');
    await payPart(user, invoiceId, 'manual');
    const { number } = await invoiceOf(invoiceId);
    const content = camtOf([camtEntry({ amount: '2.00', text: number, date: '2026-01-29' })]);
    await billing.invoices.importBankStatement(
      { format: 'FORMAT_CAMT' as never, content, columns: undefined, dryRun: false },
      staff(),
    );
    expect([await balanceOf(user), await promotional(user)]).to.deep.equal([0, 0]);
    await billing.invoices.updateInvoiceStatus({ invoiceId, status: Invoice_Status.VOID, reference: '' }, staff());
    await billing.runUntilIdle();
    expect([await balanceOf(user), await promotional(user)]).to.deep.equal([300, 100]);
    expect((await invoiceOf(invoiceId)).status).to.equal('void');
  });

  it('ends an order whose rest is never paid, with its credits back', async () => {
    const user = newUserId();
    await topUp(user, 200);
    const { invoiceId, serviceId } = await buy(user, 'stripe');
    await payPart(user, invoiceId);
    for (let day = 0; day < 20; day += 1) {
      billing.advance(days(1));
      await billing.runUntilIdle();
    }
    expect((await invoiceOf(invoiceId)).status).to.equal('void');
    expect(await statusOf(user, serviceId)).to.equal(Service_Status.CANCELLED);
    expect(await balanceOf(user)).to.equal(200);
  });
});
