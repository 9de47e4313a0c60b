import { randomUUID } from 'node:crypto';
import {
  CheckoutRequest,
  RefundInvoiceRequest,
  RefundInvoiceRequest_Destination,
  Service_Status,
} from '@panel/protos/billing';
import { expect } from 'chai';
import { createMollieGateway } from '../../src/payments/mollie/gateway.js';
import { days, newUserId, reasonOf, type RunningBilling, startTestBilling } from '../harness.js';
import { debit, FakeMollie, mollieKeys } from '../payments/fake-mollie.js';
import type { FaultServer } from '../payments/fault-server.js';

const { ORIGINAL } = RefundInvoiceRequest_Destination;

describe('payment through Mollie', function () {
  this.timeout(120_000);
  let billing: RunningBilling;
  let mollie: FakeMollie;
  let server: FaultServer;
  let failAt = '';

  beforeEach(async () => {
    failAt = '';
    const failpoint = (name: string) => {
      if (name === failAt) throw new Error(`crashed at ${name}`);
    };
    billing = await startTestBilling({ failpoint });
    mollie = new FakeMollie(() => billing.now());
    server = await mollie.start();
    const settings = { ...mollieKeys, apiBase: server.address, attemptTimeoutMs: 2_000 };
    const panelUrl = async () => (await billing.context.settings.read()).panelUrl;
    billing.gateways.set('mollie', createMollieGateway(settings, { clock: () => billing.now(), panelUrl }));
  });
  afterEach(async () => {
    try {
      failAt = '';
      await billing.checkInvariants();
    } finally {
      await billing.stop();
      await server.stop();
    }
  });

  const webhook = async (id: string) =>
    billing.payments.receiveWebhook({ gateway: 'mollie', rawBody: Buffer.from(`id=${id}`), headers: {} });
  const invoiceOf = async (id: string) => {
    const invoice = await billing.context.invoices.get(id);
    if (!invoice) throw new Error('no invoice');
    return invoice;
  };
  const buy = async (user: string, savePaymentMethod = false) => {
    const product = await billing.sell();
    const items = [{ productId: product.id, planId: '', quantity: 1, config: undefined }];
    const request = CheckoutRequest.create({ paymentMethod: 'mollie', items, savePaymentMethod });
    const { invoice, services, paymentUrl } = await billing.orders.checkout(request, billing.as(user));
    const serviceId = services[0]?.id ?? '';
    return { invoiceId: invoice?.id ?? '', serviceId, paymentId: paymentUrl.split('/').at(-1) ?? '' };
  };
  const bought = async (user: string, savePaymentMethod = false) => {
    const order = await buy(user, savePaymentMethod);
    await webhook(mollie.pay(order.paymentId));
    await billing.runUntilIdle();
    return order;
  };
  const statusOf = async (user: string, serviceId: string) =>
    (await billing.services.getService({ serviceId }, billing.as(user))).service?.status;
  const renew = async (serviceId: string) => {
    billing.advance(days(25));
    await billing.runUntilIdle();
    const [renewal] = await billing.context.invoices.openOfSubscription(serviceId);
    return renewal?.id ?? '';
  };
  const store = async (user: string, methodReference: string) =>
    billing.context.storedMethods.insertIfAbsent({
      id: randomUUID(),
      userId: user,
      gateway: 'mollie',
      customerReference: 'cst_1',
      methodReference,
      label: 'SEPA •••• 2370',
      createdAt: billing.now(),
    });

  it('books one payment of 50 webhooks at once and keeps the country of the card', async () => {
    const user = newUserId();
    const { invoiceId, serviceId, paymentId } = await buy(user);
    mollie.pay(paymentId);
    await Promise.all(Array.from({ length: 50 }, async () => webhook(paymentId)));
    await billing.runUntilIdle();
    const { status, payments } = await invoiceOf(invoiceId);
    expect([status, payments.length]).to.deep.equal(['paid', 1]);
    expect(payments[0]).to.include({ reference: paymentId, cardCountry: 'FR' });
    expect(await statusOf(user, serviceId)).to.equal(Service_Status.ACTIVE);
  });

  it('books a payment whose webhook never came', async () => {
    const { invoiceId, paymentId } = await buy(newUserId());
    mollie.pay(paymentId);
    billing.advance(3 * 60_000);
    await billing.runUntilIdle();
    expect((await invoiceOf(invoiceId)).status).to.equal('paid');
  });

  it('lets the customer pay again after a canceled payment', async () => {
    const user = newUserId();
    const { invoiceId, paymentId } = await buy(user);
    await webhook(mollie.end(paymentId, 'canceled'));
    const request = { invoiceId, paymentMethod: 'mollie', returnUrl: '', savePaymentMethod: false, useCredits: false };
    const { paymentUrl } = await billing.invoices.payInvoice(request, billing.as(user));
    const second = paymentUrl.split('/').at(-1) ?? '';
    expect(second).not.to.equal(paymentId);
    await webhook(mollie.pay(second));
    expect((await invoiceOf(invoiceId)).status).to.equal('paid');
  });

  it('charges the mandate of the first payment at the renewal', async () => {
    const user = newUserId();
    const { serviceId } = await bought(user, true);
    await renew(serviceId);
    const payment = mollie.payment(mollie.latestId);
    expect(payment).to.include({ sequenceType: 'recurring', status: 'paid' });
    const renewal = await invoiceOf((payment['metadata'] as { invoice_id: string }).invoice_id);
    expect(renewal.payments.map(({ reference }) => reference)).to.deep.equal([mollie.latestId]);
    await webhook(mollie.latestId);
    expect((await invoiceOf(renewal.id)).payments).to.have.length(1);
  });

  for (const end of ['paid', 'failed'] as const) {
    it(`shows a debit of a renewal as pending until it is ${end}`, async () => {
      const user = newUserId();
      const { serviceId } = await bought(user);
      await store(user, 'mdt_debit');
      const invoiceId = await renew(serviceId);
      const id = mollie.latestId;
      expect((await invoiceOf(invoiceId)).pendingPayment?.reference).to.equal(id);
      const before = mollie.paymentCount;
      billing.advance(days(3));
      await billing.runUntilIdle();
      expect(mollie.paymentCount).to.equal(before);
      await webhook(end === 'paid' ? mollie.pay(id, { ...debit, status: 'paid' }) : mollie.end(id, 'failed'));
      const { status, pendingPayment } = await invoiceOf(invoiceId);
      expect([status === 'paid', pendingPayment ?? null]).to.deep.equal([end === 'paid', null]);
    });
  }

  it('mails that a revoked mandate was declined, and leaves the renewal open', async () => {
    const user = newUserId();
    const { serviceId } = await bought(user, true);
    const [method] = await billing.context.storedMethods.ofUser(user);
    mollie.revokeMandate(method?.methodReference ?? '');
    const invoiceId = await renew(serviceId);
    const { status, pendingPayment } = await invoiceOf(invoiceId);
    expect([status, pendingPayment ?? null]).to.deep.equal(['unpaid', null]);
    expect(billing.mail.events().join(' ')).to.include('PAYMENT_FAILED');
  });

  it('books refunds made at Mollie in parts, also when the webhook crashes between them', async () => {
    const { invoiceId, paymentId } = await bought(newUserId());
    mollie.refundByHand(paymentId, '1.00');
    mollie.refundByHand(paymentId, '2.00');
    failAt = 'webhook.applied';
    expect(await reasonOf(webhook(paymentId))).not.to.equal(null);
    failAt = '';
    billing.advance(60_000);
    await billing.runUntilIdle();
    await webhook(paymentId);
    expect((await invoiceOf(invoiceId)).refunds.map(({ amountMinor }) => amountMinor)).to.deep.equal([100, 200]);
  });

  it('applies a dispute though a refund before it cannot be booked', async () => {
    const user = newUserId();
    const { invoiceId, serviceId, paymentId } = await bought(user);
    mollie.refundByHand(paymentId, '400.00');
    mollie.chargeBack(paymentId);
    expect(await reasonOf(webhook(paymentId))).to.equal('PAYMENT_MISMATCH');
    billing.advance(60_000);
    await billing.runUntilIdle();
    expect((await invoiceOf(invoiceId)).disputes.map(({ outcome }) => outcome)).to.deep.equal(['open']);
    expect(await statusOf(user, serviceId)).to.equal(Service_Status.SUSPENDED);
  });

  it('suspends for a chargeback and lifts it once it is reversed', async () => {
    const user = newUserId();
    const { serviceId, paymentId } = await bought(user);
    await webhook(mollie.chargeBack(paymentId));
    await billing.runUntilIdle();
    expect(await statusOf(user, serviceId)).to.equal(Service_Status.SUSPENDED);
    await webhook(mollie.chargeBack(paymentId, billing.now().toISOString()));
    await billing.runUntilIdle();
    expect(await statusOf(user, serviceId)).to.equal(Service_Status.ACTIVE);
  });

  it('refunds at Mollie and knows its own refund when it is reported', async () => {
    mollie.refundStatus = 'pending';
    const { invoiceId } = await bought(newUserId());
    const staff = billing.as(newUserId(), ['billing.update', 'billing.view'], randomUUID());
    await billing.invoices.refundInvoice(
      RefundInvoiceRequest.create({ invoiceId, reason: 'not wanted', destination: ORIGINAL }),
      staff,
    );
    await billing.runUntilIdle();
    const [refund] = (await invoiceOf(invoiceId)).refunds;
    expect(refund?.state).to.equal('done');
    await webhook(mollie.turnRefund(refund?.reference ?? '', 'refunded'));
    expect((await invoiceOf(invoiceId)).refunds).to.have.length(1);
  });
});
