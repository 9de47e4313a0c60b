import { randomUUID } from 'node:crypto';
import {
  CheckoutRequest,
  RefundInvoiceRequest_Destination,
  Service_Status,
  UpdateServiceRequest_Action,
} from '@panel/protos/billing';
import { Server_Status } from '@panel/protos/servers';
import { expect } from 'chai';
import { createStripeGateway } from '../../src/payments/stripe/gateway.js';
import { payFromCredits } from '../../src/invoicing/pay-from-credits.js';
import { reconcile } from '../../src/reconciliation/reconcile.js';
import { newUserId, reasonOf, type RunningBilling, startTestBilling } from '../harness.js';
import { FakeStripe, stripeKeys } from '../payments/fake-stripe.js';
import type { FaultServer } from '../payments/fault-server.js';

const { CREDITS } = RefundInvoiceRequest_Destination;
const minute = 60_000;

describe('reconciliation', function () {
  this.timeout(180_000);
  let billing: RunningBilling;
  let stripe: FakeStripe;
  let gateway: FaultServer;

  beforeEach(async () => {
    billing = await startTestBilling();
    stripe = new FakeStripe(() => billing.now());
    gateway = await stripe.start();
    const settings = { ...stripeKeys, apiBase: gateway.address, attemptTimeoutMs: 2_000 };
    billing.gateways.set(
      'stripe',
      createStripeGateway(settings, () => billing.now()),
    );
  });
  afterEach(async () => {
    await billing.stop();
    await gateway.stop();
  });

  const buy = async (paymentMethod = 'credits') => {
    const user = newUserId();
    if (paymentMethod === 'credits') await billing.grant(user, 5_000);
    const product = await billing.sell();
    const items = [{ productId: product.id, planId: '', quantity: 1, config: undefined }];
    const request = CheckoutRequest.create({ paymentMethod, items });
    const { services, invoice, paymentUrl } = await billing.orders.checkout(request, billing.as(user));
    await billing.runUntilIdle();
    const service = await billing.context.subscriptions.get(services[0]?.id ?? '');
    if (!service) throw new Error('no service');
    const sessionId = paymentUrl.split('/').at(-1) ?? '';
    return {
      user,
      service,
      invoiceId: invoice?.id ?? '',
      sessionId,
      server: billing.servers.servers.get(service.serverId),
    };
  };
  /** As shown to the operator. */
  const compare = async () => {
    billing.advance(11 * minute);
    await reconcile(billing.context, new AbortController().signal);
    const staff = billing.as(newUserId(), ['billing.view']);
    const { discrepancies } = await billing.reports.listDiscrepancies({}, staff);
    return discrepancies.map(({ kind, reference, repaired }) => ({ kind, reference, repaired }));
  };
  const statusOf = async (id: string) => (await billing.context.subscriptions.get(id))?.status;

  it('finds nothing where everything agrees', async () => {
    await buy();
    expect(await compare()).to.deep.equal([]);
  });

  it('installs a server again whose installation failed while something was away, at most 3 times', async () => {
    const { service, server } = await buy();
    const { reinstalled } = billing.servers;
    Object.assign(server ?? {}, { status: Server_Status.INSTALL_FAILED, installRepeatable: true });
    const found = (repaired: boolean) => [{ kind: 'paid_not_running', reference: service.id, repaired }];
    expect(await compare()).to.deep.equal(found(true));
    for (const [waitMs, repaired] of [
      [10, true],
      [5, false],
      [10, true],
      [60, false],
    ] as const) {
      billing.advance(waitMs * minute);
      expect(await compare(), `after ${waitMs} minutes`).to.deep.equal(found(repaired));
    }
    expect(reinstalled).to.deep.equal([service.serverId, service.serverId, service.serverId]);
  });

  it('reports nothing of it once it is installed', async () => {
    const { server } = await buy();
    Object.assign(server ?? {}, { status: Server_Status.INSTALL_FAILED, installRepeatable: true });
    await compare();
    Object.assign(server ?? {}, { status: Server_Status.OFFLINE, installRepeatable: false });
    expect(await compare()).to.deep.equal([]);
    expect(billing.servers.reinstalled).to.have.length(1);
  });

  it('repeats no installation whose script failed', async () => {
    const { service, server } = await buy();
    Object.assign(server ?? {}, { status: Server_Status.INSTALL_FAILED, installRepeatable: false });
    expect(await compare()).to.deep.equal([{ kind: 'paid_not_running', reference: service.id, repaired: false }]);
    expect(billing.servers.reinstalled).to.deep.equal([]);
  });

  it('reports a paid service whose server is gone, and leaves the decision to an operator', async () => {
    const { service } = await buy();
    billing.servers.servers.delete(service.serverId);
    expect(await compare()).to.deep.equal([{ kind: 'paid_not_running', reference: service.id, repaired: false }]);
    expect(await statusOf(service.id)).to.equal('active');
  });

  it('reports a product on sale whose egg is gone', async () => {
    const product = await billing.sell();
    expect(await compare()).to.deep.equal([]);
    billing.servers.goneEggs.add(product.server?.eggId ?? '');
    expect(await compare()).to.deep.equal([{ kind: 'product_without_egg', reference: product.id, repaired: false }]);
  });

  it('reports a paid server that staff have suspended, and does not lift it', async () => {
    const { service, server } = await buy();
    if (server) server.suspended = true;
    const found = [{ kind: 'suspended_but_paid', reference: service.id, repaired: false }];
    expect(await compare()).to.deep.equal(found);
    await billing.runUntilIdle();
    expect(await compare()).to.deep.equal(found);
    expect(server?.suspended).to.equal(true);
  });

  it('suspends again the server of a suspended service', async () => {
    const { user, service, server } = await buy();
    const staff = billing.as(user, ['billing.update']);
    await billing.services.updateService(
      {
        serviceId: service.id,
        price: undefined,
        nextDueTime: undefined,
        action: UpdateServiceRequest_Action.SUSPEND,
        keepInvoicing: false,
      },
      staff,
    );
    await billing.runUntilIdle();
    if (server) server.suspended = false;
    expect(await compare()).to.deep.equal([{ kind: 'running_not_paid', reference: service.id, repaired: true }]);
    await billing.runUntilIdle();
    expect(server?.suspended).to.equal(true);
  });

  it('removes the server of a service that has ended', async () => {
    const { user, service, server } = await buy();
    const cancel = { serviceId: service.id, immediately: true, reason: '' };
    await billing.services.cancelService(cancel, billing.as(user));
    await billing.runUntilIdle();
    if (server) billing.servers.servers.set(server.id, server);
    expect(await compare()).to.deep.equal([{ kind: 'running_not_paid', reference: service.id, repaired: true }]);
    await billing.runUntilIdle();
    expect(billing.servers.servers.size).to.equal(0);
  });

  it('reports no server whose deletion is in progress', async () => {
    const { user, service, server } = await buy();
    await billing.services.cancelService({ serviceId: service.id, immediately: true, reason: '' }, billing.as(user));
    await billing.runUntilIdle();
    if (server) billing.servers.servers.set(server.id, { ...server, status: Server_Status.DELETING });
    expect(await compare()).to.deep.equal([]);
    if (server) billing.servers.servers.delete(server.id);
  });

  it('lifts a suspension for an overdue period that is paid', async () => {
    const { service } = await buy();
    const set = { status: 'suspended' as const, suspendReasons: ['overdue' as const] };
    await billing.context.subscriptions.changeIf(service.id, {}, { set });
    expect(await compare()).to.deep.equal([{ kind: 'suspended_but_paid', reference: service.id, repaired: true }]);
    expect(await statusOf(service.id)).to.equal('active');
  });

  it('reports a server that could not be created, which an operator retries or refunds', async () => {
    billing.servers.refusal = 'no such egg';
    const { user, service, invoiceId } = await buy();
    for (let tries = 0; tries < 8; tries++) {
      billing.advance(11 * minute);
      await billing.runUntilIdle();
    }
    const seen = (await billing.services.getService({ serviceId: service.id }, billing.as(user))).service;
    expect(seen?.status).to.equal(Service_Status.FAILED);
    expect(seen?.error).to.contain('no such egg');
    expect(await compare()).to.deep.equal([{ kind: 'paid_not_running', reference: service.id, repaired: false }]);
    const staff = billing.as(newUserId(), ['billing.update', 'billing.view'], randomUUID());
    billing.servers.refusal = '';
    await billing.services.retryService({ serviceId: service.id }, staff);
    await billing.runUntilIdle();
    expect(await statusOf(service.id)).to.equal('active');
    const refund = { invoiceId, amount: undefined, destination: CREDITS, reason: '', cancelServices: true };
    await billing.invoices.refundInvoice(refund, staff);
    await billing.runUntilIdle();
    expect(await statusOf(service.id)).to.equal('terminated');
    expect(billing.servers.servers.size).to.equal(0);
    expect(await billing.context.credits.balance(user, 'EUR')).to.equal(5_000);
    await billing.checkInvariants();
  });

  it('ends and refunds after a day what could not be provided, and nothing else of its order', async () => {
    billing.servers.refusal = 'no such egg';
    const { user, service } = await buy();
    for (let tries = 0; tries < 8; tries++) {
      billing.advance(11 * minute);
      await billing.runUntilIdle();
    }
    billing.servers.refusal = '';
    const working = await buy();
    expect(await statusOf(working.service.id)).to.equal('active');
    billing.advance(24 * 60 * minute);
    const found = { kind: 'paid_not_running', reference: service.id, repaired: true };
    expect(await compare()).to.deep.equal([found]);
    await billing.runUntilIdle();
    expect(await statusOf(service.id)).to.equal('terminated');
    expect(await statusOf(working.service.id)).to.equal('active');
    expect(await billing.context.credits.balance(user, 'EUR')).to.equal(5_000);
    expect(await compare()).to.deep.equal([]);
    await billing.checkInvariants();
  });

  it('shows the customer what it retries, and when, and lets an operator refund instead', async () => {
    billing.servers.isDown = true;
    const { user, service, invoiceId } = await buy();
    const seen = (await billing.services.getService({ serviceId: service.id }, billing.as(user))).service;
    expect(seen?.status).to.equal(Service_Status.PROVISIONING);
    expect(seen?.attempts).to.be.above(0);
    expect(seen?.nextAttemptTime?.getTime()).to.be.above(billing.now().getTime());
    const staff = billing.as(newUserId(), ['billing.update', 'billing.view'], randomUUID());
    const refund = { invoiceId, amount: undefined, destination: CREDITS, reason: '', cancelServices: true };
    await billing.invoices.refundInvoice(refund, staff);
    billing.servers.isDown = false;
    billing.advance(11 * minute);
    await billing.runUntilIdle();
    expect(billing.servers.servers.size).to.equal(0);
    expect(await billing.context.credits.balance(user, 'EUR')).to.equal(5_000);
    await billing.checkInvariants();
  });

  it('renews a service whose period is over and that nobody has invoiced', async () => {
    const { service } = await buy();
    const nextDueAt = new Date(billing.now().getTime() - 90 * minute);
    await billing.context.subscriptions.changeIf(service.id, {}, { set: { renewAt: null, nextDueAt } });
    const found = await compare();
    expect(found).to.deep.equal([{ kind: 'running_not_paid', reference: service.id, repaired: true }]);
    expect((await billing.context.subscriptions.get(service.id))?.renewAt).not.to.equal(null);
  });

  it('reports a ledger that does not sum to its balance and changes nothing', async () => {
    const { user } = await buy();
    const accounts = billing.mongo.collection<{ _id: string }>('credit_accounts');
    await accounts.updateOne({ _id: `${user}:EUR` }, { $inc: { balanceMinor: 7 } });
    expect(await compare()).to.deep.equal([
      { kind: 'ledger_mismatch', reference: `${user}:EUR`, repaired: false },
      { kind: 'journal_mismatch', reference: `${user}:EUR`, repaired: false },
    ]);
    expect(await billing.context.credits.balance(user, 'EUR')).to.equal(5_000 - 499 + 7);
    await accounts.updateOne({ _id: `${user}:EUR` }, { $inc: { balanceMinor: -7 } });
  });

  it('reports an invoice that the journal has otherwise, once its entries are all there', async () => {
    const { invoiceId } = await buy();
    const journal = billing.mongo.collection<{ _id: string; lines: unknown[] }>('journal');
    const issue = await journal.findOne({ _id: `issue:${invoiceId}` });
    expect(await compare()).to.deep.equal([]);
    await journal.deleteOne({ _id: `issue:${invoiceId}` });
    expect(await compare()).to.deep.equal([{ kind: 'journal_mismatch', reference: invoiceId, repaired: false }]);
    if (issue) await journal.insertOne(issue);
    expect(await compare()).to.deep.equal([]);
  });

  it('reports nothing of a payment from credits that is on its way to the journal', async () => {
    const { user, invoiceId } = await buy('manual');
    await billing.grant(user, 499);
    await billing.runUntilIdle();
    expect(await payFromCredits(billing.context, invoiceId)).to.equal('paid');
    await billing.runJobs('write-journal');
    expect(await compare()).to.deep.equal([]);
  });

  it('leaves the mark of an invoice that changes while its entries are written', async () => {
    const { invoiceId } = await buy('manual');
    const { invoices } = billing.context;
    const mark = async () =>
      (await billing.mongo.collection<{ _id: string; journalMark?: string }>('invoices').findOne({ _id: invoiceId }))
        ?.journalMark;
    const payment = { method: 'manual', amountMinor: 100, reference: '', at: billing.now() };
    await invoices.changeIf(invoiceId, {}, { payment: { ...payment, id: 'first' } });
    const before = (await mark()) ?? '';
    await invoices.changeIf(invoiceId, {}, { payment: { ...payment, id: 'second' } });
    await invoices.journaled(invoiceId, before);
    expect(await mark())
      .to.be.a('string')
      .and.not.equal(before);
  });

  it('reports credits that no payment stands for, and none that one does', async () => {
    const { user, invoiceId } = await buy();
    const staff = billing.as(newUserId(), ['billing.update', 'billing.view'], randomUUID());
    const amount = { amountMinor: 100, currency: 'EUR' };
    await billing.invoices.refundInvoice(
      { invoiceId, amount, destination: CREDITS, reason: '', cancelServices: false },
      staff,
    );
    await billing.runUntilIdle();
    expect(await compare()).to.deep.equal([]);
    const entry = { userId: user, currency: 'EUR', amountMinor: 50, note: '', createdAt: billing.now() };
    const ids = ['no invoice', 'no purchase', 'no refund'];
    await billing.context.credits.post({ ...entry, id: 'no invoice', reason: 'refund', reference: randomUUID() });
    await billing.context.credits.post({ ...entry, id: 'no refund', reason: 'refund', reference: invoiceId });
    await billing.context.credits.post({ ...entry, id: 'no purchase', reason: 'purchase', reference: invoiceId });
    await billing.runUntilIdle();
    const found = (await compare()).toSorted((a, b) => a.reference.localeCompare(b.reference));
    expect(found).to.deep.equal(
      ids.map((reference) => ({ kind: 'credit_without_payment', reference, repaired: false })),
    );
  });

  it('books a payment that only the gateway knows, and reports one that the gateway does not know', async () => {
    const { service, invoiceId, sessionId } = await buy('stripe');
    stripe.pay(sessionId);
    const [found] = await compare();
    expect(found).to.include({ kind: 'payment_unknown', repaired: true });
    await billing.runUntilIdle();
    expect(await statusOf(service.id)).to.equal('active');
    expect((await billing.context.invoices.get(invoiceId))?.payments).to.have.length(1);
    expect(await compare()).to.deep.equal([]);
    const payment = { id: 'stripe:pi_invented', method: 'stripe', amountMinor: 5, reference: 'pi_invented' };
    await billing.context.invoices.changeIf(invoiceId, {}, { payment: { ...payment, at: billing.now() } });
    billing.advance(120 * minute);
    expect(await compare()).to.deep.equal([
      { kind: 'payment_missing', reference: 'stripe:pi_invented', repaired: false },
    ]);
  });

  it('reports a message of a gateway that fits no invoice', async () => {
    const { sessionId } = await buy('stripe');
    const { rawBody, headers } = stripe.deliver(stripe.pay(sessionId, { currency: 'huf' }));
    const single = { 'stripe-signature': headers['stripe-signature']?.join(', ') ?? '' };
    const webhook = { gateway: 'stripe', rawBody: Buffer.from(rawBody), headers: single };
    expect(await reasonOf(billing.payments.receiveWebhook(webhook))).to.equal('PAYMENT_MISMATCH');
    billing.advance(minute);
    await billing.runJobs('recover-events');
    expect((await compare()).map(({ kind }) => kind)).to.include('event_failed');
  });

  it('reconciles once for 20 replicas', async () => {
    const { server } = await buy();
    if (server) server.suspended = true;
    billing.advance(11 * minute);
    const before = billing.servers.lists;
    const { signal } = new AbortController();
    await Promise.all(Array.from({ length: 20 }, async () => reconcile(billing.context, signal)));
    expect(billing.servers.lists - before).to.equal(1);
  });
});
