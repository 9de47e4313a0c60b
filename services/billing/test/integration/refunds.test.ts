import { randomUUID } from 'node:crypto';
import {
  CheckoutRequest,
  Invoice_Status,
  RefundInvoiceRequest,
  RefundInvoiceRequest_Destination,
  Service_Status,
} from '@panel/protos/billing';
import { expect } from 'chai';
import type { RefundRequest } from '../../src/domain/payment.js';
import { recordPayment } from '../../src/invoicing/record-payment.js';
import type { PaymentGateway } from '../../src/payments/payment-gateway.js';
import { days, euroMessage, fieldsOf, newUserId, reasonOf } from '../harness.js';
import { euros, startStripeShop, type StripeShop } from '../stripe-shop.js';

const { CREDITS, ORIGINAL } = RefundInvoiceRequest_Destination;

describe('refunds and lost webhooks', function () {
  this.timeout(180_000);
  let shop: StripeShop;
  let { billing, stripe, server, receive, invoiceOf, buy, paidOrder, statusOf, balanceOf, staff } = {} as StripeShop;

  beforeEach(async () => {
    shop = await startStripeShop();
    ({ billing, stripe, server, receive, invoiceOf, buy, paidOrder, statusOf, balanceOf, staff } = shop);
  });
  afterEach(async () => shop.stop());

  const refund = async (invoiceId: string, changes: Partial<RefundInvoiceRequest> = {}, as = staff()) =>
    billing.invoices.refundInvoice(
      RefundInvoiceRequest.create({ invoiceId, destination: CREDITS, reason: 'sorry', ...changes }),
      as,
    );
  it('writes who refunded what to the activity log, once for a repeated request', async () => {
    const user = newUserId();
    const { invoiceId } = await paidOrder(user);
    const operator = billing.as(newUserId(), ['billing.update', 'billing.view'], randomUUID());
    await refund(invoiceId, { amount: euros(100) }, operator);
    await refund(invoiceId, { amount: euros(100) }, operator);
    await billing.runUntilIdle();
    const events = [...billing.activity.events.values()];
    const refunds = events.filter(({ event }) => event === 'billing:invoice.refund');
    expect(refunds.map(({ userId }) => userId)).to.deep.equal([user]);
    expect(refunds[0]?.actorId).not.to.equal('');
    expect(events.map(({ event }) => event)).to.include('billing:order.create');
  });

  it('refunds a part, then the rest, with a credit note for each, and not more', async () => {
    const user = newUserId();
    const { invoiceId } = await paidOrder(user);
    const { creditNote } = await refund(invoiceId, { amount: euros(100) });
    expect(creditNote?.number).to.match(/^INV-CN-/);
    expect(creditNote?.total?.amountMinor).to.equal(-100);
    expect(await fieldsOf(refund(invoiceId, { amount: euros(400) }))).to.deep.equal(['amount']);
    for (const amount of [0, -5]) {
      expect(await fieldsOf(refund(invoiceId, { amount: euros(amount) }))).to.deep.equal(['amount']);
    }
    expect(await fieldsOf(refund(invoiceId, { amount: { amountMinor: 5, currency: 'USD' } }))).to.deep.equal([
      'amount',
    ]);
    await refund(invoiceId);
    expect((await invoiceOf(invoiceId)).status).to.equal('refunded');
    expect(await balanceOf(user)).to.equal(499);
    expect(await reasonOf(refund(invoiceId))).to.equal('INVOICE_NOT_PAID');
    await billing.checkInvariants();
  });

  it('gives an amount back once for 50 parallel refunds, whatever their keys', async () => {
    const user = newUserId();
    const { invoiceId } = await paidOrder(user);
    const same = staff();
    await Promise.allSettled(
      Array.from({ length: 50 }, async (_, index) =>
        refund(invoiceId, { amount: euros(300) }, index % 2 ? same : staff()),
      ),
    );
    expect(await balanceOf(user)).to.equal(300);
    await billing.checkInvariants();
  });

  it('refunds through the gateway once, also when it answers too late, and knows its own refund when it is reported', async () => {
    const user = newUserId();
    const { invoiceId, serviceId } = await paidOrder(user);
    await refund(invoiceId, { destination: ORIGINAL, cancelServices: true });
    await billing.runUntilIdle();
    expect(stripe.refundCount).to.equal(1);
    const { refunds } = await invoiceOf(invoiceId);
    await receive(stripe.deliver(stripe.refundEvent(refunds[0]?.reference ?? '')));
    await billing.runUntilIdle();
    expect((await invoiceOf(invoiceId)).refunds).to.have.length(1);
    expect(await balanceOf(user)).to.equal(0);
    expect(await statusOf(user, serviceId)).to.equal(Service_Status.TERMINATED);
    expect(billing.servers.servers.size).to.equal(0);
    await billing.checkInvariants();
  });

  it('books a refund that was made at the gateway, once, with a credit note', async () => {
    const user = newUserId();
    const { invoiceId, serviceId, intentId } = await paidOrder(user);
    const refundId = stripe.refundByHand(intentId, 200);
    const reported = stripe.deliver(stripe.refundEvent(refundId));
    await Promise.allSettled(Array.from({ length: 20 }, async () => receive(reported)));
    await receive(reported);
    await billing.runUntilIdle();
    const invoice = await invoiceOf(invoiceId);
    expect([invoice.status, invoice.refundedMinor]).to.deep.equal(['paid', 200]);
    expect(stripe.refundCount).to.equal(1);
    expect(await balanceOf(user)).to.equal(0);
    expect(await statusOf(user, serviceId)).to.equal(Service_Status.ACTIVE);
    await billing.checkInvariants();
  });

  it('takes bought credits back with their money, and refuses when they are spent', async () => {
    const user = newUserId();
    const bought = await billing.credits.buyCredits(
      { amount: euros(1_000), paymentMethod: 'stripe', returnUrl: '' },
      billing.as(user),
    );
    await receive(stripe.deliver(stripe.pay(bought.paymentUrl.split('/').at(-1) ?? '')));
    await billing.runUntilIdle();
    expect(await balanceOf(user)).to.equal(1_000);
    const invoiceId = bought.invoice?.id ?? '';
    expect(await fieldsOf(refund(invoiceId))).to.deep.equal(['destination']);
    await refund(invoiceId, { amount: euros(400), destination: ORIGINAL });
    expect(await balanceOf(user)).to.equal(600);
    await billing.credits.grantCredits({ userId: user, amount: euros(-500), reason: 'spent' }, staff());
    expect(await fieldsOf(refund(invoiceId, { amount: euros(600), destination: ORIGINAL }))).to.deep.equal(['amount']);
    expect(await balanceOf(user)).to.equal(100);
    expect(stripe.refundCount).to.equal(1);
    await refund(invoiceId, { amount: euros(100), destination: ORIGINAL });
    expect(await balanceOf(user)).to.equal(0);
    await billing.checkInvariants();
  });

  it('gives back by the card what the card has paid, and the rest to the credits, in any parts', async () => {
    const sent: number[] = [];
    const refundByCard = async ({ amount }: RefundRequest) => {
      sent.push(amount.amountMinor);
      return { refundReference: randomUUID() };
    };
    const card = { name: 'card', canStoreMethods: false, canCharge: () => true, refund: refundByCard };
    billing.gateways.set('card', card as unknown as PaymentGateway);
    const user = newUserId();
    const product = await billing.sell();
    const items = [{ productId: product.id, planId: '', quantity: 1, config: undefined }];
    const request = CheckoutRequest.create({ paymentMethod: 'manual', items });
    const { invoice } = await billing.orders.checkout(request, billing.as(user));
    const invoiceId = invoice?.id ?? '';
    const payment = { id: 'card:1', method: 'card', amountMinor: 300, reference: 'card 1', at: billing.now() };
    await recordPayment(billing.context, invoiceId, payment);
    await billing.grant(user, 199);
    const rest = { invoiceId, paymentMethod: 'credits', returnUrl: '', savePaymentMethod: false, useCredits: false };
    await billing.invoices.payInvoice(rest, billing.as(user));
    for (const amountMinor of [200, 150, 149]) {
      await refund(invoiceId, { amount: euros(amountMinor), destination: ORIGINAL });
      await billing.runUntilIdle();
    }
    expect(sent).to.deep.equal([200, 100]);
    expect(await balanceOf(user)).to.equal(199);
    await billing.checkInvariants();
  });

  it('gives credits back to where they came from, so that granted ones never go to a card', async () => {
    const user = newUserId();
    const bought = await shop.topUp(user, 499);
    await billing.grant(user, 499);
    const promotional = async () => (await billing.context.credits.holdings(user, 'EUR')).promotionalMinor;
    const first = await buy(user, 'credits');
    expect(await promotional(), 'spent first').to.equal(0);
    await refund(first.invoiceId, { amount: euros(200) });
    await refund(first.invoiceId, { amount: euros(299) });
    expect([await promotional(), await balanceOf(user)]).to.deep.equal([499, 998]);
    const { credits } = billing;
    const shown = await credits.getCredits({ userId: '' }, billing.as(user));
    expect(shown.promotional).to.deep.equal(euroMessage(499));
    await buy(user, 'credits');
    await buy(user, 'credits');
    await billing.grant(user, 499);
    expect(await fieldsOf(refund(bought.invoiceId, { destination: ORIGINAL })), 'spent').to.deep.equal(['amount']);
    expect(await balanceOf(user)).to.equal(499);
    await billing.checkInvariants();
  });

  it('finds a payment whose webhook never came by asking for the checkout', async () => {
    const user = newUserId();
    const { sessionId, invoiceId, serviceId } = await buy(user, 'stripe');
    stripe.pay(sessionId);
    await billing.runUntilIdle();
    expect((await invoiceOf(invoiceId)).status).to.equal('unpaid');
    billing.advance(3 * 60_000);
    await billing.runUntilIdle();
    expect((await invoiceOf(invoiceId)).status).to.equal('paid');
    expect(await statusOf(user, serviceId)).to.equal(Service_Status.ACTIVE);
    await receive(stripe.deliver(stripe.reportAgain(sessionId)));
    expect((await invoiceOf(invoiceId)).payments).to.have.length(1);
    await billing.checkInvariants();
  });

  it('credits money for an invoice that was void before its webhook came', async () => {
    const user = newUserId();
    const { sessionId, invoiceId } = await buy(user, 'stripe');
    const status = { invoiceId, status: Invoice_Status.VOID, reference: '' };
    await billing.invoices.updateInvoiceStatus(status, staff());
    await receive(stripe.deliver(stripe.pay(sessionId)));
    await billing.runUntilIdle();
    expect((await invoiceOf(invoiceId)).status).to.equal('void');
    expect(await balanceOf(user)).to.equal(499);
    await billing.checkInvariants();
  });

  it('books no payment on a credit note', async () => {
    const user = newUserId();
    const { invoiceId } = await paidOrder(user);
    const { creditNote } = await refund(invoiceId, { destination: ORIGINAL });
    const payment = { id: 'stripe:pi', method: 'stripe', amountMinor: 1, reference: 'pi', at: billing.now() };
    const recorded = recordPayment(billing.context, creditNote?.id ?? '', payment);
    expect(await reasonOf(recorded)).to.equal('INVOICE_NOT_FOUND');
    await billing.runUntilIdle();
    expect(await balanceOf(user)).to.equal(0);
    await billing.checkInvariants();
  });

  it('renews with the stored method, and sends a mail when it is declined', async () => {
    billing.setTime(new Date('2026-01-15T12:00:00Z'));
    const user = newUserId();
    const { sessionId, serviceId, invoiceId } = await buy(user, 'stripe', { savePaymentMethod: true });
    await receive(stripe.deliver(stripe.pay(sessionId)));
    await receive(stripe.deliver(stripe.reportAgain(sessionId)));
    await billing.runUntilIdle();
    expect((await billing.payments.listStoredMethods({}, billing.as(user))).storedMethods).to.have.length(1);
    billing.setTime(new Date('2026-02-09T12:00:00Z'));
    await billing.runUntilIdle();
    const renewed = await billing.context.subscriptions.get(serviceId);
    expect(renewed?.nextDueAt?.toISOString()).to.equal('2026-03-15T12:00:00.000Z');
    expect(stripe.intentCount).to.equal(2);
    expect(invoiceId).not.to.equal('');
    const [method] = await billing.context.storedMethods.ofUser(user);
    await billing.context.storedMethods.delete(method?.id ?? '', user);
    await billing.context.storedMethods.insertIfAbsent({
      id: randomUUID(),
      userId: user,
      gateway: 'stripe',
      customerReference: 'cus_saved',
      methodReference: 'pm_declined',
      label: 'card',
      createdAt: billing.now(),
    });
    billing.setTime(new Date('2026-03-10T12:00:00Z'));
    await billing.runUntilIdle();
    expect((await billing.context.subscriptions.get(serviceId))?.nextDueAt?.toISOString()).to.equal(
      '2026-03-15T12:00:00.000Z',
    );
    expect(billing.mail.events()).to.include('invoice EVENT_PAYMENT_FAILED');
    expect(stripe.intentCount).to.equal(2);
    await billing.checkInvariants();
  });

  it('goes on with a renewal after the gateway was down', async () => {
    const user = newUserId();
    const { sessionId, serviceId } = await buy(user, 'stripe', { savePaymentMethod: true });
    await receive(stripe.deliver(stripe.pay(sessionId)));
    await receive(stripe.deliver(stripe.reportAgain(sessionId)));
    await billing.runUntilIdle();
    await server.stop();
    billing.advance(days(25));
    await billing.runUntilIdle();
    const [open] = await billing.context.invoices.openOfSubscription(serviceId);
    expect(open?.status).to.equal('unpaid');
    await billing.checkInvariants();
  });
});
