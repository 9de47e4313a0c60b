import { randomUUID } from 'node:crypto';
import { Service_Status } from '@panel/protos/billing';
import { expect } from 'chai';
import { days, euroMessage, newUserId, reasonOf } from '../harness.js';
import { processing } from '../payments/fake-stripe.js';
import { startStripeShop, type StripeShop } from '../stripe-shop.js';

describe('pending payments', function () {
  this.timeout(120_000);
  let shop: StripeShop;
  let { billing, stripe, server, receive, buy, paidOrder, invoiceOf, statusOf } = {} as StripeShop;
  beforeEach(async () => {
    shop = await startStripeShop();
    ({ billing, stripe, server, receive, buy, paidOrder, invoiceOf, statusOf } = shop);
  });
  afterEach(async () => {
    try {
      await billing.checkInvariants();
    } finally {
      await shop.stop();
    }
  });

  const pay = async (user: string, invoiceId: string, paymentMethod: string) => {
    const request = { invoiceId, paymentMethod, returnUrl: '', savePaymentMethod: false, useCredits: false };
    return reasonOf(billing.invoices.payInvoice(request, billing.as(user)));
  };
  const pendingOf = async (user: string, invoiceId: string) =>
    (await billing.invoices.getInvoice({ invoiceId }, billing.as(user))).invoice?.pendingPayment;
  const store = async (user: string, methodReference: string) =>
    billing.context.storedMethods.insertIfAbsent({
      id: randomUUID(),
      userId: user,
      gateway: 'stripe',
      customerReference: 'cus_saved',
      methodReference,
      label: 'debit',
      createdAt: billing.now(),
    });
  /** Its renewal is open and was to be charged. */
  const renewed = async (serviceId: string, afterDays: number) => {
    billing.advance(days(afterDays));
    await billing.runUntilIdle();
    const [renewal] = await billing.context.invoices.openOfSubscription(serviceId);
    return renewal?.id ?? '';
  };

  it('shows one, begins no other beside it, and books it when the money arrives', async () => {
    const user = newUserId();
    const { invoiceId, serviceId, sessionId } = await buy(user, 'stripe');
    const accepted = stripe.deliver(stripe.pay(sessionId, processing));
    await Promise.all(Array.from({ length: 5 }, async () => receive(accepted)));
    expect(await pendingOf(user, invoiceId)).to.deep.include({
      method: 'stripe',
      amount: euroMessage(499),
    });
    for (const method of ['stripe', 'manual', 'credits'])
      expect(await pay(user, invoiceId, method), method).to.equal('PAYMENT_PENDING');
    await receive(stripe.deliver(stripe.settle(stripe.latestIntentId, 'succeeded')));
    await receive(accepted);
    await billing.runUntilIdle();
    expect((await invoiceOf(invoiceId)).status).to.equal('paid');
    expect(await pendingOf(user, invoiceId)).to.equal(undefined);
    expect(await statusOf(user, serviceId)).to.equal(Service_Status.ACTIVE);
  });

  it('lets another one begin once it has failed', async () => {
    const user = newUserId();
    const { invoiceId, sessionId } = await buy(user, 'stripe');
    await receive(stripe.deliver(stripe.pay(sessionId, processing)));
    const late = stripe.deliver(stripe.event('payment_intent.processing', { id: stripe.latestIntentId }));
    await receive(stripe.deliver(stripe.settle(stripe.latestIntentId, 'requires_payment_method')));
    await receive(late);
    expect(await pendingOf(user, invoiceId)).to.equal(undefined);
    await billing.grant(user, 499);
    expect(await pay(user, invoiceId, 'credits')).to.equal(null);
  });

  it('charges a renewal no second time, reminds of nothing and suspends nothing for 14 days', async () => {
    const user = newUserId();
    const { serviceId } = await paidOrder(user);
    await store(user, 'pm_debit');
    const invoiceId = await renewed(serviceId, 25);
    const before = stripe.intentCount;
    expect((await invoiceOf(invoiceId)).pendingPayment?.reference).to.equal(stripe.latestIntentId);
    for (let day = 0; day < 12; day += 1) expect(await renewed(serviceId, 1)).to.equal(invoiceId);
    expect(stripe.intentCount).to.equal(before);
    expect(await statusOf(user, serviceId)).to.equal(Service_Status.ACTIVE);
    expect(billing.mail.events()).not.to.include('invoice EVENT_REMINDER');
    await renewed(serviceId, 3);
    await renewed(serviceId, 1);
    expect(stripe.intentCount, 'nothing came of it').to.be.above(before);
  });

  it('charges once though the answers of the gateway are lost', async () => {
    const user = newUserId();
    const { serviceId } = await paidOrder(user);
    await store(user, 'pm_saved');
    const before = stripe.intentCount;
    server.inject('/payment_intents', ...Array.from({ length: 10 }, () => ({ kind: 'lose_answer' }) as const));
    const invoiceId = await renewed(serviceId, 25);
    expect((await invoiceOf(invoiceId)).pendingPayment?.reference).to.equal('');
    server.heal();
    for (let day = 0; day < 8 && (await invoiceOf(invoiceId)).status !== 'paid'; day += 1) {
      billing.advance(days(1));
      await billing.runUntilIdle();
    }
    const { status, payments, pendingPayment } = await invoiceOf(invoiceId);
    expect({ status, payments: payments.length, pendingPayment }).to.deep.equal({
      status: 'paid',
      payments: 1,
      pendingPayment: null,
    });
    expect(stripe.intentCount).to.equal(before + 1);
  });

  it('repeats a charge without an answer by its own method and key, also at the next step', async () => {
    const user = newUserId();
    const { serviceId } = await paidOrder(user);
    await store(user, 'pm_first');
    server.inject('/payment_intents', ...Array.from({ length: 10 }, () => ({ kind: 'status', status: 503 }) as const));
    const invoiceId = await renewed(serviceId, 25);
    const { step } = await invoiceOf(invoiceId);
    await store(user, 'pm_second');
    server.heal();
    for (let day = 0; day < 8 && (await invoiceOf(invoiceId)).status !== 'paid'; day += 1) await renewed(serviceId, 1);
    expect((await invoiceOf(invoiceId)).step).not.to.equal(step);
    expect((await invoiceOf(invoiceId)).payments).to.have.length(1);
    const charges = server.requestsTo('/payment_intents').map(({ body, headers }) => ({
      method: new URLSearchParams(body).get('payment_method'),
      key: headers['idempotency-key'],
    }));
    expect(charges).to.have.length.above(1);
    expect(new Set(charges.map(({ method }) => method))).to.have.keys(['pm_first']);
    expect(new Set(charges.map(({ key }) => key))).to.have.property('size', 1);
  });
});
