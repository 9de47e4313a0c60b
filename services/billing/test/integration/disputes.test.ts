import { RefundInvoiceRequest, RefundInvoiceRequest_Destination, Service_Status } from '@panel/protos/billing';
import { expect } from 'chai';
import { unusedPart } from '../../src/domain/paid-period.js';
import { markInvoicePaid } from '../../src/usecases/invoices/mark-paid.js';
import { applyDispute } from '../../src/payment-events/disputes.js';
import { suspendSubscription } from '../../src/subscriptions/suspend-subscription.js';
import { days, fieldsOf, newUserId, reasonOf } from '../harness.js';
import { euros, startStripeShop, type StripeShop } from '../stripe-shop.js';

const { SUSPENDED, ACTIVE, TERMINATED } = Service_Status;

describe('disputes', function () {
  this.timeout(180_000);
  let crashAt = '';
  let crashes = 0;
  const failpoint = (point: string) => {
    if (point !== crashAt) return;
    crashAt = '';
    crashes += 1;
    throw new Error(`crashed at ${point}`);
  };
  let shop: StripeShop;
  let { billing, invoiceOf, buy, paidOrder, topUp, dispute, statusOf, balanceOf, staff } = {} as StripeShop;

  beforeEach(async () => {
    crashAt = '';
    crashes = 0;
    shop = await startStripeShop({ failpoint });
    ({ billing, invoiceOf, buy, paidOrder, topUp, dispute, statusOf, balanceOf, staff } = shop);
  });
  afterEach(async () => shop.stop());

  const reasonsOf = async (serviceId: string) => (await billing.context.subscriptions.get(serviceId))?.suspendReasons;
  const after = async (intentId: string, status: string) => {
    await dispute(intentId, status);
    await billing.runUntilIdle();
  };

  it('suspends while a payment is disputed, resumes when it is won, and ends the service when it is lost', async () => {
    const user = newUserId();
    const { invoiceId, serviceId, intentId } = await paidOrder(user);
    await dispute(intentId, 'needs_response');
    await billing.runUntilIdle();
    expect(await statusOf(user, serviceId)).to.equal(SUSPENDED);
    await dispute(intentId, 'won');
    await dispute(intentId, 'needs_response');
    await billing.runUntilIdle();
    expect(await statusOf(user, serviceId)).to.equal(ACTIVE);
    const lost = await paidOrder(user);
    // Events out of order.
    await dispute(lost.intentId, 'lost');
    await dispute(lost.intentId, 'needs_response');
    await billing.runUntilIdle();
    expect(await statusOf(user, lost.serviceId)).to.equal(TERMINATED);
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
    const first = applyDispute({ ...billing.context, subscriptions: failing }, 'stripe', event as never);
    expect(await reasonOf(first)).to.equal('Error: lost');
    await applyDispute(billing.context, 'stripe', event as never);
    await billing.runUntilIdle();
    expect(await statusOf(user, serviceId)).to.equal(SUSPENDED);

    const [period] = (await subscriptions.get(serviceId))?.paid ?? [];
    const unused = async () => {
      const disputed = await billing.context.invoices.get(invoiceId);
      return period && unusedPart(period, disputed ?? undefined, billing.now()).totalMinor;
    };
    expect(await unused(), 'while it is open').to.equal(0);
    const service = await subscriptions.get(serviceId);
    if (service) await suspendSubscription(billing.context, service, 'operator');
    await applyDispute(billing.context, 'stripe', { ...event, outcome: 'won' } as never);
    expect(await statusOf(user, serviceId), 'as staff have set').to.equal(SUSPENDED);
    expect(await unused()).to.equal(499);
  });

  it('makes a debt of spent credits whose payment was taken back, before whose payment nothing can be bought', async () => {
    const user = newUserId();
    const { intentId } = await topUp(user, 1_000);
    await buy(user, 'credits');
    await Promise.allSettled(Array.from({ length: 10 }, async () => dispute(intentId, 'lost')));
    await after(intentId, 'lost');
    expect(await balanceOf(user)).to.equal(-499);
    for (const method of ['credits', 'manual', 'stripe'])
      expect(await fieldsOf(buy(user, method))).to.deep.equal(['credits']);
    await billing.checkInvariants();

    await topUp(user, 1_000);
    expect(await balanceOf(user)).to.equal(501);
    await buy(user, 'credits');
    expect(await balanceOf(user)).to.equal(2);
    await billing.checkInvariants();
  });

  it('holds the unspent credits of a disputed payment, suspends what the others bought, and gives both back when it is won', async () => {
    const user = newUserId();
    const { intentId } = await topUp(user, 1_000);
    const { serviceId } = await buy(user, 'credits');
    await billing.runUntilIdle();
    const other = await paidOrder(user);
    await after(intentId, 'needs_response');
    expect(await balanceOf(user)).to.equal(0);
    expect(await statusOf(user, serviceId)).to.equal(SUSPENDED);
    expect(await statusOf(user, other.serviceId), 'paid by a card').to.equal(ACTIVE);
    expect(await fieldsOf(buy(user, 'credits'))).to.deep.equal(['credits']);
    await billing.checkInvariants();
    await after(intentId, 'won');
    expect(await balanceOf(user)).to.equal(501);
    expect(await statusOf(user, serviceId)).to.equal(ACTIVE);
    await billing.checkInvariants();
  });

  it('gives won credits back to their payment, which can refund them then', async () => {
    const user = newUserId();
    const { intentId, invoiceId } = await topUp(user, 600);
    await after(intentId, 'needs_response');
    await after(intentId, 'won');
    expect(await balanceOf(user)).to.equal(600);
    const destination = RefundInvoiceRequest_Destination.ORIGINAL;
    const request = RefundInvoiceRequest.create({ invoiceId, destination, reason: 'sorry' });
    await billing.invoices.refundInvoice(request, staff());
    await billing.runUntilIdle();
    expect(await balanceOf(user)).to.equal(0);
    expect((await invoiceOf(invoiceId)).status).to.equal('refunded');
    await billing.checkInvariants();
  });

  it('holds only what is left of its payment, and not the credits of others', async () => {
    const user = newUserId();
    const first = await topUp(user, 600);
    await topUp(user, 600);
    await buy(user, 'credits');
    await after(first.intentId, 'needs_response');
    expect(await balanceOf(user)).to.equal(600);
    await after(first.intentId, 'lost');
    expect(await balanceOf(user)).to.equal(101);
    await billing.checkInvariants();
  });

  it('leaves suspended what lost credits bought until the debt is paid, then activates it', async () => {
    const user = newUserId();
    const { intentId } = await topUp(user, 1_000);
    const { serviceId } = await buy(user, 'credits');
    await billing.runUntilIdle();
    await after(intentId, 'needs_response');
    await Promise.allSettled(Array.from({ length: 50 }, async () => dispute(intentId, 'lost')));
    await billing.runUntilIdle();
    expect(await balanceOf(user)).to.equal(-499);
    expect(await statusOf(user, serviceId)).to.equal(SUSPENDED);
    expect(await reasonsOf(serviceId)).to.deep.equal(['debt']);
    await topUp(user, 498);
    expect(await statusOf(user, serviceId)).to.equal(SUSPENDED);
    await topUp(user, 1);
    expect(await statusOf(user, serviceId)).to.equal(ACTIVE);
    await billing.checkInvariants();
  });

  it('suspends what was bought with credits that were refunded at the gateway', async () => {
    const user = newUserId();
    const { intentId } = await topUp(user, 499);
    const { serviceId } = await buy(user, 'credits');
    await billing.runUntilIdle();
    const refund = shop.stripe.refundByHand(intentId, 499);
    await shop.receive(shop.stripe.deliver(shop.stripe.refundEvent(refund)));
    await billing.runUntilIdle();
    expect(await balanceOf(user)).to.equal(-499);
    expect(await reasonsOf(serviceId)).to.deep.equal(['debt']);
    await billing.checkInvariants();
  });

  it('suspends a service that is not provisioned yet as soon as it has its server', async () => {
    const user = newUserId();
    const bought = await buy(user, 'stripe');
    billing.servers.isDown = true;
    const { intentId } = await shop.pay(bought.sessionId, bought.invoiceId);
    await dispute(intentId, 'needs_response');
    expect(await statusOf(user, bought.serviceId)).to.equal(Service_Status.PROVISIONING);
    billing.servers.isDown = false;
    billing.advance(60_000);
    await billing.runUntilIdle();
    expect(await statusOf(user, bought.serviceId)).to.equal(SUSPENDED);
    await billing.checkInvariants();
    await after(intentId, 'won');
    expect(await statusOf(user, bought.serviceId)).to.equal(ACTIVE);
    await billing.checkInvariants();
  });

  it('stays suspended until the last of its disputes is over', async () => {
    const user = newUserId();
    const [first, second] = [await topUp(user, 300), await topUp(user, 300)];
    const { serviceId } = await buy(user, 'credits');
    await billing.runUntilIdle();
    for (const { intentId } of [first, second]) await after(intentId, 'needs_response');
    await after(first.intentId, 'won');
    expect(await statusOf(user, serviceId)).to.equal(SUSPENDED);
    await after(second.intentId, 'won');
    expect(await statusOf(user, serviceId)).to.equal(ACTIVE);
  });

  it('leaves a period alone that other money has paid, and makes a debt of the old one', async () => {
    const user = newUserId();
    const { serviceId, intentId, invoiceId } = await paidOrder(user);
    billing.advance(days(29));
    await billing.runUntilIdle();
    const [renewal] = await billing.context.invoices.openOfSubscription(serviceId);
    await markInvoicePaid(billing.context, await invoiceOf(renewal?.id ?? ''), 'cash');
    billing.advance(days(5));
    await billing.runUntilIdle();
    await after(intentId, 'needs_response');
    expect(await statusOf(user, serviceId)).to.equal(ACTIVE);
    await after(intentId, 'lost');
    expect(await statusOf(user, serviceId)).to.equal(ACTIVE);
    expect((await invoiceOf(invoiceId)).status).to.equal('paid');
    expect(await balanceOf(user)).to.equal(-499);
    await billing.checkInvariants();
  });

  it('refunds the unused part of a lost payment with a credit note, and makes a debt of the spent one', async () => {
    const user = newUserId();
    const { serviceId, intentId, invoiceId } = await paidOrder(user);
    const service = await billing.context.subscriptions.get(serviceId);
    const wholeMs = (service?.nextDueAt?.getTime() ?? 0) - (service?.anchorAt?.getTime() ?? 0);
    billing.advance(wholeMs / 5);
    await billing.runUntilIdle();
    await after(intentId, 'needs_response');
    // Nothing is delivered while it is suspended.
    billing.advance(days(3));
    await after(intentId, 'lost');
    const { status, refundedMinor } = await invoiceOf(invoiceId);
    expect({ status, refundedMinor }).to.deep.equal({ status: 'paid', refundedMinor: 399 });
    expect(await balanceOf(user)).to.equal(-100);
    expect(await statusOf(user, serviceId)).to.equal(TERMINATED);
    await billing.checkInvariants();
  });

  it('takes credits back that were given for a payment which was lost later', async () => {
    const user = newUserId();
    const { intentId, invoiceId } = await paidOrder(user);
    const request = RefundInvoiceRequest.create({
      invoiceId,
      destination: RefundInvoiceRequest_Destination.CREDITS,
      reason: 'sorry',
      cancelServices: true,
    });
    await billing.invoices.refundInvoice(request, staff());
    await billing.runUntilIdle();
    await billing.grant(user, 100);
    expect(await balanceOf(user)).to.equal(599);
    await after(intentId, 'needs_response');
    expect(await balanceOf(user)).to.equal(100);
    await after(intentId, 'lost');
    expect(await balanceOf(user)).to.equal(100);
    await billing.checkInvariants();
  });

  it('takes back what was paid too much, with the rest of a lost payment', async () => {
    const user = newUserId();
    const { invoiceId, sessionId } = await buy(user, 'stripe');
    await shop.receive(shop.stripe.deliver(shop.stripe.pay(sessionId, { amount: 600, amount_received: 600 })));
    await billing.runUntilIdle();
    expect(await balanceOf(user)).to.equal(101);
    const intentId = (await invoiceOf(invoiceId)).payments[0]?.reference ?? '';
    await after(intentId, 'needs_response');
    expect(await balanceOf(user)).to.equal(0);
    await after(intentId, 'lost');
    expect(await balanceOf(user)).to.equal(0);
    expect((await invoiceOf(invoiceId)).status).to.equal('refunded');
    await billing.checkInvariants();
  });

  for (const point of ['dispute.held', 'dispute.refunded', 'refund.started', 'refund.noted'])
    it(`takes a lost payment once when a process has ended at ${point}`, async () => {
      const user = newUserId();
      const { intentId } = await topUp(user, 1_000);
      await buy(user, 'credits');
      const own = await paidOrder(user);
      await billing.runUntilIdle();
      for (const id of [intentId, own.intentId])
        for (const status of ['needs_response', 'lost']) {
          crashAt = point;
          await dispute(id, status).catch(() => undefined);
          billing.advance(60_000);
          await billing.runUntilIdle();
        }
      expect(crashes).to.be.at.least(2);
      // With the minute of the other service.
      expect(await balanceOf(user)).to.equal(-500);
      expect(await statusOf(user, own.serviceId)).to.equal(TERMINATED);
      await billing.checkInvariants();
    });
});
