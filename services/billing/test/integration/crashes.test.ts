import { randomUUID } from 'node:crypto';
import { derivedId } from '@panel/rpc';
import {
  CheckoutRequest,
  CreditServiceService,
  Invoice_Status,
  InvoiceServiceService,
  OrderServiceService,
  RefundInvoiceRequest_Destination,
} from '@panel/protos/billing';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { payFromCredits } from '../../src/invoicing/pay-from-credits.js';
import { syncServers } from '../../src/provisioning/sync-servers.js';
import { checkout } from '../../src/usecases/orders/checkout.js';
import type { BillingProcess } from '../billing-process.js';
import { newUserId } from '../harness.js';
import { findBrokenInvariants } from '../invariants.js';
import { type KilledBilling, startKilledBilling } from '../killed-billing.js';
import { productWith } from '../product.js';

const { CREDITS } = RefundInvoiceRequest_Destination;
const price = 499;
const grant = 1_000;
const hourMs = 3_600_000;

describe('billing that is killed', function () {
  this.timeout(180_000);
  let killed: KilledBilling;
  let { fakes, replica, now, setTime, startProcess: startKilled } = {} as KilledBilling;

  beforeEach(async () => {
    killed = await startKilledBilling();
    ({ fakes, replica, now, setTime, startProcess: startKilled } = killed);
  });
  afterEach(async () => killed.stop());

  const clientsOf = (billing: BillingProcess) => {
    const { connection, as } = killed.connectTo(billing);
    return {
      connection,
      as: (userId: string, permissions: readonly string[] = []) => as(userId, permissions, randomUUID()),
    };
  };
  const customer = async () => {
    const user = newUserId();
    const product = productWith({ stock: 5, perUserLimit: 5 });
    await replica.context.products.create(product);
    const entry = { id: randomUUID(), userId: user, currency: 'EUR', amountMinor: grant, reason: 'grant' as const };
    await replica.context.credits.post({ ...entry, note: '', reference: '', createdAt: now() });
    return { user, product };
  };
  /** Work of other replicas in the minutes after the crash. */
  const recover = async () => {
    for (let minute = 0; minute < 4; minute++) {
      setTime(new Date(now().getTime() + 61_000));
      await replica.tick();
    }
    await replica.runUntilIdle();
    const { context, mongo } = replica;
    expect(await findBrokenInvariants(context, mongo, [...fakes.servers.servers.values()])).to.deep.equal([]);
  };

  const undone = ['checkout.prepared', 'checkout.stored', 'checkout.held', 'checkout.debited'];
  const done = [
    'checkout.decided',
    'fulfil.subscriptions',
    'fulfil.invoice',
    'fulfil.numbered',
    'fulfil.effects',
    'provision.claimed',
    'provision.created',
    'provision.recorded',
  ];
  for (const point of [...undone, ...done]) {
    const isDone = done.includes(point);
    const outcome = isDone ? 'one server and one debit' : 'no server and no debit';
    it(`leaves ${outcome} when killed at ${point} of a checkout`, async () => {
      const { user, product } = await customer();
      const billing = await startKilled(point);
      const { connection, as } = clientsOf(billing);
      const items = [{ productId: product.id, planId: '', quantity: 1, config: undefined }];
      const request = CheckoutRequest.create({ paymentMethod: 'credits', items });
      await Promise.allSettled([connection.client(OrderServiceService).checkout(request, as(user))]);
      expect(await billing.ended()).to.equal('SIGKILL');
      connection.close();
      await recover();
      expect(fakes.servers.servers.size).to.equal(isDone ? 1 : 0);
      expect(await replica.context.credits.balance(user, 'EUR')).to.equal(isDone ? grant - price : grant);
      expect((await replica.context.products.get(product.id))?.stock).to.equal(isDone ? 4 : 5);
    });
  }

  it('provisions a paid order within 15 seconds after its process was killed', async () => {
    const { user, product } = await customer();
    const billing = await startKilled('provision.claimed');
    const { connection, as } = clientsOf(billing);
    const items = [{ productId: product.id, planId: '', quantity: 1, config: undefined }];
    const request = CheckoutRequest.create({ paymentMethod: 'credits', items });
    await Promise.allSettled([connection.client(OrderServiceService).checkout(request, as(user))]);
    expect(await billing.ended()).to.equal('SIGKILL');
    connection.close();
    setTime(new Date());
    await replica.runUntilIdle();
    const orders = async () => replica.mongo.collection('orders').find({ userId: user }).toArray();
    expect((await orders()).map(({ status }) => status)).to.deep.equal(['paid']);
    setTime(new Date(now().getTime() + 15_000));
    await replica.runUntilIdle();
    expect((await orders()).map(({ status }) => status)).to.deep.equal(['completed']);
    expect(fakes.servers.servers.size).to.equal(1);
  });

  it('keeps the lease of a server whose creation takes longer than the lease', async () => {
    const { user, product } = await customer();
    const { invoice } = await unpaidOrder(user, product.id);
    await payFromCredits(replica.context, invoice.id);
    let answer = () => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const { servers } = replica.context;
    const createServer: typeof servers.createServer = async (...call) => {
      await answered;
      return servers.createServer(...call);
    };
    const clock = () => new Date();
    const slow = { ...replica.context, clock, servers: { ...servers, createServer } };
    const syncing = syncServers(slow, new AbortController().signal, 900);
    const leaseEnd = async () => {
      const [found] = await replica.mongo.collection('subscriptions').find({ userId: user }).toArray();
      return Number(found?.['sync']?.leaseUntil ?? 0);
    };
    await waitUntil('the claim', async () => (await leaseEnd()) > 0);
    const first = await leaseEnd();
    await waitUntil('the end of the first lease', () => Date.now() > first);
    expect(await replica.context.subscriptions.claimSync(new Date(), new Date(), randomUUID())).to.equal(null);
    answer();
    await syncing;
    expect(fakes.servers.servers.size).to.equal(1);
    expect(await leaseEnd()).to.equal(0);
  });

  const unpaidOrder = async (user: string, productId: string) => {
    const item = { productId, planId: '', quantity: 1, config: { serverName: '', environment: {} } };
    const input = { userId: user, paymentMethod: 'manual', items: [item], couponCode: '', returnUrl: '' };
    return checkout(replica.context, { ...input, savePaymentMethod: false });
  };

  for (const point of ['pay.intended', 'pay.debited', 'pay.recorded']) {
    it(`leaves one debit and one server when killed at ${point} of a payment from credits`, async () => {
      const { user, product } = await customer();
      const { invoice } = await unpaidOrder(user, product.id);
      const billing = await startKilled(point);
      const { connection, as } = clientsOf(billing);
      const pay = {
        invoiceId: invoice.id,
        paymentMethod: 'credits',
        returnUrl: '',
        savePaymentMethod: false,
        useCredits: false,
      };
      await Promise.allSettled([connection.client(InvoiceServiceService).payInvoice(pay, as(user))]);
      expect(await billing.ended()).to.equal('SIGKILL');
      connection.close();
      await recover();
      expect(fakes.servers.servers.size).to.equal(1);
      expect(await replica.context.credits.balance(user, 'EUR')).to.equal(grant - price);
    });
  }

  for (const point of ['void.marked', 'void.dropped', 'void.noted']) {
    it(`issues one document that cancels an order's invoice when killed at ${point}`, async () => {
      const { user, product } = await customer();
      const { invoice } = await unpaidOrder(user, product.id);
      const billing = await startKilled(point);
      const { connection, as } = clientsOf(billing);
      const staff = as(newUserId(), ['billing.update', 'billing.view']);
      const change = { invoiceId: invoice.id, status: Invoice_Status.VOID, reference: '' };
      await Promise.allSettled([connection.client(InvoiceServiceService).updateInvoiceStatus(change, staff)]);
      expect(await billing.ended()).to.equal('SIGKILL');
      connection.close();
      await recover();
      const { invoices, orders } = replica.context;
      expect((await orders.get(invoice.orderId))?.status).to.equal('cancelled');
      const note = await invoices.get(derivedId(invoice.id, 'cancellation'));
      expect(note).to.include({ totalMinor: -price, status: 'void', correctsInvoiceId: invoice.id });
      expect(note?.number).to.match(/CN-/);
      expect(fakes.servers.servers.size).to.equal(0);
    });
  }

  for (const point of ['refund.started', 'refund.returned', 'refund.noted']) {
    it(`gives the money back once and ends the server when killed at ${point}`, async () => {
      const { user, product } = await customer();
      const { invoice } = await unpaidOrder(user, product.id);
      await payFromCredits(replica.context, invoice.id);
      await replica.runUntilIdle();
      expect(fakes.servers.servers.size).to.equal(1);
      const billing = await startKilled(point);
      const { connection, as } = clientsOf(billing);
      const refund = {
        invoiceId: invoice.id,
        amount: undefined,
        destination: CREDITS,
        reason: 'test',
        cancelServices: true,
      };
      const staff = as(newUserId(), ['billing.update', 'billing.view']);
      await Promise.allSettled([connection.client(InvoiceServiceService).refundInvoice(refund, staff)]);
      expect(await billing.ended()).to.equal('SIGKILL');
      connection.close();
      await recover();
      expect(fakes.servers.servers.size).to.equal(0);
      expect(await replica.context.credits.balance(user, 'EUR')).to.equal(grant);
      expect((await replica.context.invoices.get(invoice.id))?.status).to.equal('refunded');
    });
  }

  for (const point of ['renew.invoiced', 'renew.marked']) {
    it(`leaves one invoice and one debit for each service when killed at ${point} of a batch of renewals`, async () => {
      const customers = await Promise.all(Array.from({ length: 3 }, customer));
      for (const { user, product } of customers) {
        const { invoice } = await unpaidOrder(user, product.id);
        await payFromCredits(replica.context, invoice.id);
      }
      await replica.runUntilIdle();
      await replica.mongo.collection('subscriptions').updateMany({}, { $set: { renewAt: now() } });
      const billing = await startKilled(point);
      expect(await billing.ended()).to.equal('SIGKILL');
      await recover();
      // What the dead process left unpaid is paid at the due date.
      const invoiced = await replica.mongo.collection('invoices').find({ status: 'unpaid' }).toArray();
      setTime(new Date(Math.max(Number(now()), ...invoiced.map(({ dueAt }) => Number(dueAt)))));
      await recover();
      for (const { user } of customers) {
        const invoices = await replica.mongo.collection('invoices').find({ userId: user }).toArray();
        expect(invoices.map(({ status }) => status)).to.deep.equal(['paid', 'paid']);
        expect(await replica.context.credits.balance(user, 'EUR')).to.equal(grant - 2 * price);
      }
    });
  }

  for (const point of ['usage.charged', 'usage.debited']) {
    it(`leaves one debit for an hour of usage when killed at ${point}`, async () => {
      const { user } = await customer();
      const [plan] = productWith().plans;
      if (!plan) throw new Error('a product has a plan');
      const none = { memoryGbHourMicros: 0, diskGbHourMicros: 0, trafficGbMicros: 0, monthlyCapMinor: 0 };
      const usageRates = { runningHourMicros: 10_000_000, ...none };
      const product = productWith({ plans: [{ ...plan, priceMinor: 0, interval: 'metered', usageRates }] });
      await replica.context.products.create(product);
      const item = { productId: product.id, planId: '', quantity: 1, config: { serverName: '', environment: {} } };
      const input = { userId: user, paymentMethod: 'credits', items: [item], couponCode: '', returnUrl: '' };
      await checkout(replica.context, { ...input, savePaymentMethod: false });
      await replica.runUntilIdle();
      const thisHour = new Date(Math.floor(now().getTime() / hourMs) * hourMs);
      const lastHour = new Date(thisHour.getTime() - hourMs);
      const [server] = fakes.servers.servers.values();
      fakes.usage.add(server?.id ?? '', lastHour, { runningSeconds: 3_600 });
      fakes.usage.completeUntil = thisHour;
      await replica.mongo.collection('subscriptions').updateMany({}, { $set: { anchorAt: lastHour, meterAt: now() } });
      const billing = await startKilled(point);
      expect(await billing.ended()).to.equal('SIGKILL');
      await recover();
      expect(await replica.context.credits.balance(user, 'EUR')).to.equal(grant - 10);
      expect(await replica.mongo.collection('usage_charges').countDocuments()).to.equal(1);
    });
  }

  it('keeps a grant that was answered', async () => {
    const billing = await startKilled('never');
    const { connection, as } = clientsOf(billing);
    const user = newUserId();
    const amount = { amountMinor: grant, currency: 'EUR' };
    const staff = as(newUserId(), ['billing.update']);
    await connection.client(CreditServiceService).grantCredits({ userId: user, amount, reason: 'test' }, staff);
    await billing.kill();
    connection.close();
    await recover();
    expect(await replica.context.credits.balance(user, 'EUR')).to.equal(grant);
  });
});
