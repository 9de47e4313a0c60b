import { randomUUID } from 'node:crypto';
import {
  CheckoutRequest,
  Invoice_Status,
  RefundInvoiceRequest,
  RefundInvoiceRequest_Destination,
  Service_Status,
} from '@panel/protos/billing';
import { expect } from 'chai';
import type { RefundRequest, WebhookRequest } from '../../src/domain/payment.js';
import { unusedPart } from '../../src/domain/paid-period.js';
import { suspendSubscription } from '../../src/subscriptions/suspend-subscription.js';
import { applyDispute } from '../../src/payment-events/gateway-refunds.js';
import { recordPayment } from '../../src/invoicing/record-payment.js';
import type { PaymentGateway } from '../../src/payments/payment-gateway.js';
import { createStripeGateway } from '../../src/payments/stripe/gateway.js';
import { days, fieldsOf, newUserId, reasonOf, type RunningBilling, startTestBilling } from '../harness.js';
import { FakeStripe, stripeKeys } from '../payments/fake-stripe.js';
import type { FaultServer } from '../payments/fault-server.js';

const { CREDITS, ORIGINAL } = RefundInvoiceRequest_Destination;

describe('refunds, disputes and lost webhooks', function () {
  this.timeout(180_000);
  let billing: RunningBilling;
  let stripe: FakeStripe;
  let server: FaultServer;

  beforeEach(async () => {
    billing = await startTestBilling();
    stripe = new FakeStripe(() => billing.now());
    server = await stripe.start();
    const settings = { ...stripeKeys, apiBase: server.address, attemptTimeoutMs: 2_000 };
    billing.gateways.set(
      'stripe',
      createStripeGateway(settings, () => billing.now()),
    );
  });
  afterEach(async () => {
    await billing.stop();
    await server.stop();
  });

  const receive = async ({ rawBody, headers }: WebhookRequest) => {
    const single = Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, values.join(', ')]));
    return billing.payments.receiveWebhook({ gateway: 'stripe', rawBody: Buffer.from(rawBody), headers: single });
  };
  const order = async (user: string, savePaymentMethod = false) => {
    const product = await billing.sell();
    const items = [{ productId: product.id, planId: '', quantity: 1, config: undefined }];
    const request = CheckoutRequest.create({ paymentMethod: 'stripe', items, savePaymentMethod });
    const { invoice, services, paymentUrl } = await billing.orders.checkout(request, billing.as(user));
    return {
      invoiceId: invoice?.id ?? '',
      serviceId: services[0]?.id ?? '',
      sessionId: paymentUrl.split('/').at(-1) ?? '',
    };
  };
  /** Paid through Stripe, with a server. */
  const paidOrder = async (user: string) => {
    const bought = await order(user);
    await receive(stripe.deliver(stripe.pay(bought.sessionId)));
    await billing.runUntilIdle();
    const invoice = await billing.context.invoices.get(bought.invoiceId);
    return { ...bought, intentId: invoice?.payments[0]?.reference ?? '' };
  };
  const staff = () => billing.as(newUserId(), ['billing.update', 'billing.view'], randomUUID());
  const refund = async (invoiceId: string, changes: Partial<RefundInvoiceRequest> = {}, as = staff()) =>
    billing.invoices.refundInvoice(
      RefundInvoiceRequest.create({ invoiceId, destination: CREDITS, reason: 'sorry', ...changes }),
      as,
    );
  const euros = (amountMinor: number) => ({ amountMinor, currency: 'EUR' });
  const statusOf = async (user: string, serviceId: string) =>
    (await billing.services.getService({ serviceId }, billing.as(user))).service?.status;
  const balanceOf = async (user: string) => billing.context.credits.balance(user, 'EUR');
  const invoiceOf = async (invoiceId: string) => {
    const invoice = await billing.context.invoices.get(invoiceId);
    if (!invoice) throw new Error('no invoice');
    return invoice;
  };

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

  it('suspends while a payment is disputed, resumes when it is won, and ends the service when it is lost', async () => {
    const user = newUserId();
    const { invoiceId, serviceId, intentId } = await paidOrder(user);
    await receive(stripe.deliver(stripe.disputeEvent(intentId, 'needs_response')));
    await billing.runUntilIdle();
    expect(await statusOf(user, serviceId)).to.equal(Service_Status.SUSPENDED);
    await receive(stripe.deliver(stripe.disputeEvent(intentId, 'won')));
    await receive(stripe.deliver(stripe.disputeEvent(intentId, 'needs_response')));
    await billing.runUntilIdle();
    expect(await statusOf(user, serviceId)).to.equal(Service_Status.ACTIVE);
    const lost = await paidOrder(user);
    // Events out of order.
    await receive(stripe.deliver(stripe.disputeEvent(lost.intentId, 'lost')));
    await receive(stripe.deliver(stripe.disputeEvent(lost.intentId, 'needs_response')));
    await billing.runUntilIdle();
    expect(await statusOf(user, lost.serviceId)).to.equal(Service_Status.TERMINATED);
    expect((await invoiceOf(lost.invoiceId)).status).to.equal('refunded');
    expect((await invoiceOf(invoiceId)).status).to.equal('paid');
    await billing.checkInvariants();
  });

  it('suspends for a dispute whose message is repeated after a failure in the middle', async () => {
    const user = newUserId();
    const { invoiceId, serviceId } = await paidOrder(user);
    const event = {
      type: 'disputed' as const,
      id: 'dispute',
      disputeReference: 'dispute 1',
      outcome: 'open' as const,
      invoiceId,
      amount: euros(499),
      occurredAt: billing.now(),
    };
    const { subscriptions } = billing.context;
    const failing = { ...subscriptions, changeIf: async () => Promise.reject(new Error('lost')) };
    const first = applyDispute({ ...billing.context, subscriptions: failing }, event as never);
    expect(await reasonOf(first)).to.equal('Error: lost');
    await applyDispute(billing.context, event as never);
    await billing.runUntilIdle();
    expect(await statusOf(user, serviceId)).to.equal(Service_Status.SUSPENDED);

    const [period] = (await subscriptions.get(serviceId))?.paid ?? [];
    const unused = async () => {
      const disputed = await billing.context.invoices.get(invoiceId);
      return period && unusedPart(period, disputed ?? undefined, billing.now()).totalMinor;
    };
    expect(await unused(), 'while it is open').to.equal(0);
    const service = await subscriptions.get(serviceId);
    if (service) await suspendSubscription(billing.context, service, 'operator');
    await applyDispute(billing.context, { ...event, outcome: 'won' } as never);
    expect(await statusOf(user, serviceId), 'as staff have set').to.equal(Service_Status.SUSPENDED);
    expect(await unused()).to.equal(499);
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
    const rest = { invoiceId, paymentMethod: 'credits', returnUrl: '', savePaymentMethod: false };
    await billing.invoices.payInvoice(rest, billing.as(user));
    for (const amountMinor of [200, 150, 149]) {
      await refund(invoiceId, { amount: euros(amountMinor), destination: ORIGINAL });
      await billing.runUntilIdle();
    }
    expect(sent).to.deep.equal([200, 100]);
    expect(await balanceOf(user)).to.equal(199);
    await billing.checkInvariants();
  });

  it('makes a debt of spent credits whose payment was taken back, before whose payment nothing can be bought', async () => {
    const user = newUserId();
    const bought = await billing.credits.buyCredits(
      { amount: euros(1_000), paymentMethod: 'stripe', returnUrl: '' },
      billing.as(user),
    );
    await receive(stripe.deliver(stripe.pay(bought.paymentUrl.split('/').at(-1) ?? '')));
    await billing.runUntilIdle();
    const { id: productId } = await billing.sell();
    const items = [{ productId, planId: '', quantity: 1, config: undefined }];
    const buy = async (paymentMethod: string) =>
      billing.orders.checkout(CheckoutRequest.create({ paymentMethod, items }), billing.as(user));
    await buy('credits');
    const intentId = (await invoiceOf(bought.invoice?.id ?? '')).payments[0]?.reference ?? '';
    const lost = stripe.deliver(stripe.disputeEvent(intentId, 'lost'));
    await Promise.allSettled(Array.from({ length: 10 }, async () => receive(lost)));
    await receive(lost);
    await billing.runUntilIdle();
    expect(await balanceOf(user)).to.equal(-499);
    for (const method of ['credits', 'manual', 'stripe'])
      expect(await fieldsOf(buy(method))).to.deep.equal(['credits']);
    await billing.checkInvariants();

    const repaid = await billing.credits.buyCredits(
      { amount: euros(1_000), paymentMethod: 'stripe', returnUrl: '' },
      billing.as(user),
    );
    await receive(stripe.deliver(stripe.pay(repaid.paymentUrl.split('/').at(-1) ?? '')));
    await billing.runUntilIdle();
    expect(await balanceOf(user)).to.equal(501);
    await buy('credits');
    expect(await balanceOf(user)).to.equal(2);
    await billing.checkInvariants();
  });

  it('finds a payment whose webhook never came by asking for the checkout', async () => {
    const user = newUserId();
    const { sessionId, invoiceId, serviceId } = await order(user);
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
    const { sessionId, invoiceId } = await order(user);
    const status = { invoiceId, status: Invoice_Status.VOID, reference: '' };
    await billing.invoices.updateInvoiceStatus(status, staff());
    await receive(stripe.deliver(stripe.pay(sessionId)));
    await billing.runUntilIdle();
    expect((await invoiceOf(invoiceId)).status).to.equal('void');
    expect(await balanceOf(user)).to.equal(499);
    await billing.checkInvariants();
  });

  it('renews with the stored method, and sends a mail when it is declined', async () => {
    billing.setTime(new Date('2026-01-15T12:00:00Z'));
    const user = newUserId();
    const { sessionId, serviceId, invoiceId } = await order(user, true);
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
    const { sessionId, serviceId } = await order(user, true);
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
