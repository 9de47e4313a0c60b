import { randomUUID } from 'node:crypto';
import {
  CheckoutRequest,
  Invoice_Status,
  Scope,
  Service_Status,
  UpdateServiceRequest_Action,
} from '@panel/protos/billing';
import { expect } from 'chai';
import { recordPayment } from '../../src/invoicing/record-payment.js';
import { days, fieldsOf, newUserId, type RunningBilling, startTestBilling } from '../harness.js';

describe('the renewal of services', function () {
  this.timeout(180_000);
  let billing: RunningBilling;
  beforeEach(async () => {
    billing = await startTestBilling();
  });
  afterEach(async () => {
    try {
      await billing.checkInvariants();
    } finally {
      await billing.stop();
    }
  });

  const order = async (user: string, productId: string, couponCode = '') => {
    const items = [{ productId, planId: '', quantity: 1, config: undefined }];
    const request = CheckoutRequest.create({ paymentMethod: 'credits', items, couponCode });
    const { services } = await billing.orders.checkout(request, billing.as(user));
    return services[0]?.id ?? '';
  };
  const buy = async (...ordered: Parameters<typeof order>) => {
    const serviceId = await order(...ordered);
    await billing.runUntilIdle();
    return serviceId;
  };
  const serviceOf = async (user: string, serviceId: string) =>
    (await billing.services.getService({ serviceId }, billing.as(user))).service;
  const invoicesOf = async (user: string) =>
    (
      await billing.invoices.listInvoices(
        { page: undefined, scope: Scope.OWN, status: Invoice_Status.UNSPECIFIED, userId: '' },
        billing.as(user),
      )
    ).invoices;
  const goTo = async (date: string) => {
    billing.setTime(new Date(date));
    await billing.runUntilIdle();
  };

  it('invoices a week before, pays from credits, and keeps to the last day of the month', async () => {
    billing.setTime(new Date('2026-01-31T10:00:00Z'));
    const user = newUserId();
    const product = await billing.sell();
    await billing.grant(user, 499 * 3);
    const serviceId = await buy(user, product.id);
    expect((await serviceOf(user, serviceId))?.nextDueTime?.toISOString()).to.equal('2026-02-28T10:00:00.000Z');
    await goTo('2026-02-21T09:00:00Z');
    expect(await invoicesOf(user)).to.have.length(1);
    await goTo('2026-02-21T11:00:00Z');
    const [, renewal] = await invoicesOf(user);
    expect(renewal?.status).to.equal(Invoice_Status.PAID);
    expect((await serviceOf(user, serviceId))?.nextDueTime?.toISOString()).to.equal('2026-03-31T10:00:00.000Z');
    await goTo('2026-03-25T00:00:00Z');
    expect((await serviceOf(user, serviceId))?.nextDueTime?.toISOString()).to.equal('2026-04-30T10:00:00.000Z');
    expect(await invoicesOf(user)).to.have.length(3);
  });

  it('takes a coupon for two periods off two invoices, and nothing off the third', async () => {
    billing.setTime(new Date('2026-01-10T12:00:00Z'));
    const user = newUserId();
    const product = await billing.sell();
    const limits = { currency: '', productIds: [], maxUses: 10, maxUsesPerUser: 1, startsAt: null, expiresAt: null };
    await billing.context.coupons.create({
      ...limits,
      id: randomUUID(),
      code: 'TWICE',
      type: 'percent',
      value: 50,
      uses: 0,
      recurring: 2,
      createdAt: billing.now(),
    });
    await billing.grant(user, 5_000);
    await buy(user, product.id, 'TWICE');
    await goTo('2026-02-04T12:00:00Z');
    await goTo('2026-03-05T12:00:00Z');
    expect((await invoicesOf(user)).map(({ total }) => total?.amountMinor)).to.deep.equal([249, 249, 499]);
  });

  it('reminds, suspends, unsuspends at once on payment', async () => {
    billing.setTime(new Date('2026-01-15T12:00:00Z'));
    const user = newUserId();
    const product = await billing.sell();
    await billing.grant(user, 499);
    const serviceId = await buy(user, product.id);
    const server = [...billing.servers.servers.values()][0];
    await goTo('2026-02-08T13:00:00Z');
    await goTo('2026-02-12T13:00:00Z');
    await goTo('2026-02-15T13:00:00Z');
    expect((await invoicesOf(user))[1]?.status).to.equal(Invoice_Status.OVERDUE);
    expect((await serviceOf(user, serviceId))?.status).to.equal(Service_Status.ACTIVE);
    await goTo('2026-02-17T13:00:00Z');
    expect((await serviceOf(user, serviceId))?.status).to.equal(Service_Status.SUSPENDED);
    expect(server?.suspended).to.equal(true);
    await billing.grant(user, 499);
    const invoiceId = (await invoicesOf(user))[1]?.id ?? '';
    const pay = { invoiceId, paymentMethod: 'credits', returnUrl: '', savePaymentMethod: false, useCredits: false };
    await billing.invoices.payInvoice(pay, billing.as(user));
    await billing.runJobs('sync-servers');
    expect((await serviceOf(user, serviceId))?.status).to.equal(Service_Status.ACTIVE);
    await billing.runUntilIdle();
    expect(server?.suspended).to.equal(false);
    expect((await serviceOf(user, serviceId))?.nextDueTime?.toISOString()).to.equal('2026-03-15T12:00:00.000Z');
    expect(billing.mail.events()).to.include.members([
      'invoice EVENT_ISSUED',
      'invoice EVENT_REMINDER',
      'invoice EVENT_OVERDUE',
      'invoice EVENT_PAID',
      'service EVENT_READY',
      'service EVENT_SUSPENDED',
      'service EVENT_UNSUSPENDED',
    ]);
  });

  it('invoices a period once more for a void invoice, and not again when money for that one comes late', async () => {
    billing.setTime(new Date('2026-01-15T12:00:00Z'));
    const user = newUserId();
    await billing.grant(user, 499);
    await buy(user, (await billing.sell()).id);
    await goTo('2026-02-09T12:00:00Z');
    const [, renewal] = await invoicesOf(user);
    const invoiceId = renewal?.id ?? '';
    const status = { invoiceId, status: Invoice_Status.VOID, reference: '' };
    await billing.invoices.updateInvoiceStatus(status, billing.as(newUserId(), ['billing.update', 'billing.view']));
    await billing.runUntilIdle();
    const documents = async () => (await invoicesOf(user)).map(({ kind, status: own }) => `${kind} ${own}`).toSorted();
    const expected = await documents();
    expect(expected).to.have.length(4);
    const late = { id: 'late', method: 'manual', amountMinor: 499, reference: '', at: billing.now() };
    await recordPayment(billing.context, invoiceId, late);
    await billing.runUntilIdle();
    expect(await documents()).to.deep.equal(expected);
    expect(await billing.context.credits.balance(user, 'EUR')).to.equal(499);
  });

  it('ends what stays unpaid, deletes its server and gives the unit back', async () => {
    billing.setTime(new Date('2026-01-15T12:00:00Z'));
    const user = newUserId();
    const product = await billing.sell({ stock: 1 });
    await billing.grant(user, 499);
    const serviceId = await buy(user, product.id);
    for (const date of ['2026-02-09', '2026-02-13', '2026-02-16', '2026-02-18', '2026-03-02'])
      await goTo(`${date}T12:00:00Z`);
    expect((await serviceOf(user, serviceId))?.status).to.equal(Service_Status.TERMINATED);
    expect((await invoicesOf(user))[1]?.status).to.equal(Invoice_Status.VOID);
    expect(billing.servers.servers.size).to.equal(0);
    expect((await billing.context.products.get(product.id))?.stock).to.equal(1);
  });

  it('invoices each of 60 services once when four replicas run the job', async function () {
    this.timeout(180_000);
    const product = await billing.sell();
    const users = Array.from({ length: 60 }, newUserId);
    await Promise.all(
      users.map(async (user) => {
        await billing.grant(user, 499);
        await order(user, product.id);
      }),
    );
    await billing.runUntilIdle();
    billing.advance(days(25));
    await Promise.all(Array.from({ length: 4 }, async () => billing.runJobs('renew-subscriptions')));
    for (const user of users) expect(await invoicesOf(user)).to.have.length(2);
  });

  it('lifts with a payment the suspension that was for it, and not the one of staff', async () => {
    billing.setTime(new Date('2026-01-15T12:00:00Z'));
    const user = newUserId();
    const product = await billing.sell();
    await billing.grant(user, 499);
    const serviceId = await buy(user, product.id);
    const staff = billing.as(newUserId(), ['billing.update', 'billing.view']);
    const act = async (action: UpdateServiceRequest_Action) => {
      await billing.services.updateService(
        { serviceId, price: undefined, nextDueTime: undefined, action, keepInvoicing: false },
        staff,
      );
      await billing.runUntilIdle();
    };
    const seen = async () => {
      const service = await serviceOf(user, serviceId);
      return [service?.status, service?.suspendReason];
    };
    for (const day of ['08', '13', '16', '18']) await goTo(`2026-02-${day}T13:00:00Z`);
    expect(await seen()).to.deep.equal([Service_Status.SUSPENDED, 'overdue']);
    await act(UpdateServiceRequest_Action.SUSPEND);
    expect(await seen()).to.deep.equal([Service_Status.SUSPENDED, 'operator']);
    await billing.grant(user, 499);
    const open = (await invoicesOf(user)).find(({ status }) => status === Invoice_Status.OVERDUE);
    const payment = {
      invoiceId: open?.id ?? '',
      paymentMethod: 'credits',
      returnUrl: '',
      savePaymentMethod: false,
      useCredits: false,
    };
    await billing.invoices.payInvoice(payment, billing.as(user));
    await billing.runUntilIdle();
    expect(await seen()).to.deep.equal([Service_Status.SUSPENDED, 'operator']);
    expect([...billing.servers.servers.values()][0]?.suspended).to.equal(true);
    await act(UpdateServiceRequest_Action.UNSUSPEND);
    expect(await seen()).to.deep.equal([Service_Status.ACTIVE, '']);
    expect([...billing.servers.servers.values()][0]?.suspended).to.equal(false);
  });

  for (const keepInvoicing of [false, true])
    it(`invoices a service that staff have suspended ${keepInvoicing ? 'when they say so' : 'only after they release it, from then on'}`, async () => {
      billing.setTime(new Date('2026-01-15T12:00:00Z'));
      const user = newUserId();
      await billing.grant(user, 5_000);
      const serviceId = await buy(user, (await billing.sell()).id);
      const staff = billing.as(newUserId(), ['billing.update', 'billing.view']);
      const act = async (action: UpdateServiceRequest_Action, keeps: boolean) => {
        const update = { serviceId, price: undefined, nextDueTime: undefined, action, keepInvoicing: keeps };
        await billing.services.updateService(update, staff);
        await billing.runUntilIdle();
      };
      expect(await fieldsOf(act(UpdateServiceRequest_Action.TERMINATE, true))).to.deep.equal(['keep_invoicing']);
      await act(UpdateServiceRequest_Action.SUSPEND, keepInvoicing);
      for (const date of ['2026-02-10', '2026-02-20', '2026-03-20']) await goTo(`${date}T12:00:00Z`);
      const due = (await serviceOf(user, serviceId))?.nextDueTime?.toISOString();
      expect(await invoicesOf(user)).to.have.length(keepInvoicing ? 3 : 1);
      expect(due).to.equal(keepInvoicing ? '2026-04-15T12:00:00.000Z' : '2026-02-15T12:00:00.000Z');
      await act(UpdateServiceRequest_Action.UNSUSPEND, false);
      const service = await serviceOf(user, serviceId);
      expect(service?.status).to.equal(Service_Status.ACTIVE);
      expect(service?.nextDueTime?.toISOString()).to.equal(
        keepInvoicing ? '2026-04-15T12:00:00.000Z' : '2026-04-20T12:00:00.000Z',
      );
      expect(await invoicesOf(user)).to.have.length(keepInvoicing ? 3 : 2);
    });

  it('ends a cancelled service at the end of its period and invoices nothing more', async () => {
    billing.setTime(new Date('2026-01-15T12:00:00Z'));
    const user = newUserId();
    const product = await billing.sell();
    await billing.grant(user, 5000);
    const serviceId = await buy(user, product.id);
    const cancel = { serviceId, immediately: false, reason: '' };
    const { service } = await billing.services.cancelService(cancel, billing.as(user));
    expect(service?.cancelAtPeriodEnd).to.equal(true);
    await goTo('2026-02-14T12:00:00Z');
    expect((await serviceOf(user, serviceId))?.status).to.equal(Service_Status.ACTIVE);
    await goTo('2026-02-15T12:00:01Z');
    expect((await serviceOf(user, serviceId))?.status).to.equal(Service_Status.CANCELLED);
    expect(await invoicesOf(user)).to.have.length(1);
    expect(billing.servers.servers.size).to.equal(0);
  });

  it('changes the plan for the rest of the period: dearer when paid, cheaper at once into credits', async () => {
    billing.setTime(new Date('2026-04-01T00:00:00Z'));
    const user = newUserId();
    const big = await billing.sell({ name: 'Big' });
    const bigPlan = { ...big.plans[0], id: big.plans[0]?.id ?? '', priceMinor: 1499 } as (typeof big.plans)[number];
    await billing.context.products.update(big.id, { plans: [bigPlan], server: { ...big.server, memoryMb: 4096 } });
    const small = await billing.sell({ upgradeProductIds: [big.id] });
    await billing.context.products.update(big.id, { upgradeProductIds: [small.id] });
    await billing.grant(user, 499 + 500);
    const serviceId = await buy(user, small.id);
    billing.setTime(new Date('2026-04-16T00:00:00Z'));
    const up = { serviceId, productId: big.id, planId: '', paymentMethod: 'credits' };
    const changed = await billing.services.changePlan(up, billing.as(user));
    expect(changed.prorated?.amountMinor).to.equal(500);
    await billing.runUntilIdle();
    expect([...billing.servers.servers.values()][0]?.limits?.memoryMb).to.equal(4096);
    const down = { ...up, productId: small.id };
    expect((await billing.services.changePlan(down, billing.as(user))).prorated?.amountMinor).to.equal(-500);
    const { balance } = await billing.credits.getCredits({ userId: '' }, billing.as(user));
    expect(balance?.amountMinor).to.equal(500);
    await billing.runUntilIdle();
    expect([...billing.servers.servers.values()][0]?.limits?.memoryMb).to.equal(1024);
  });
});
