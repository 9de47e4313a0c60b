import { CheckoutRequest } from '@panel/protos/billing';
import { expect } from 'chai';
import { newUserId, type RunningBilling, startTestBilling } from '../harness.js';

type Row = Record<string, unknown> & { _id: string };

/** One damaged record amid a batch must not affect the others. */
describe('a damaged record in the batch of a job', function () {
  this.timeout(180_000);
  let billing: RunningBilling;
  const user = newUserId();
  let services: string[];

  before(async () => {
    billing = await startTestBilling();
    billing.setTime(new Date('2026-01-20T12:00:00Z'));
    await billing.grant(user, 50_000);
    const product = await billing.sell();
    services = [];
    for (let made = 0; made < 3; made++) {
      const items = [{ productId: product.id, planId: '', quantity: 1, config: undefined }];
      const request = CheckoutRequest.create({ paymentMethod: 'credits', items });
      const bought = await billing.orders.checkout(request, billing.as(user));
      services.push(bought.services[0]?.id ?? '');
    }
    await billing.runUntilIdle();
  });
  after(async () => billing.stop());

  const rows = (name: string) => billing.mongo.collection<Row>(name);
  const damage = async (name: string, id: string, change: object) => {
    const whole = (await rows(name).findOne({ _id: id })) ?? expect.fail('no record');
    await rows(name).updateOne({ _id: id }, change);
    return async () => void (await rows(name).replaceOne({ _id: id }, whole));
  };
  const [first, rest] = [() => services[0] ?? '', () => services.slice(1)];

  for (const [what, change] of Object.entries({
    'its plan': { $unset: { plan: 1 } },
    'its price': { $unset: { 'plan.priceMinor': 1 } },
    'its state': { $unset: { sync: 1 } },
  })) {
    it(`leaves the renewals of the others whole when a service has lost ${what}`, async () => {
      const renewAt = billing.now();
      await rows('subscriptions').updateMany({}, { $set: { renewAt, renewLeaseUntil: null } });
      const repair = await damage('subscriptions', first(), change);
      await billing.runJobs('renew-subscriptions');
      const open = await rows('subscriptions').find({ renewAt }).toArray();
      expect(open.map(({ _id }) => _id)).to.deep.equal([first()]);
      await repair();
      await rows('subscriptions').updateMany({}, { $set: { renewAt: null } });
    });
  }

  it('leaves the servers of the others in sync', async () => {
    await rows('subscriptions').updateMany({}, { $set: { 'sync.dueAt': new Date(0), 'sync.leaseUntil': null } });
    const repair = await damage('subscriptions', first(), { $unset: { status: 1, server: 1 } });
    await billing.runJobs('sync-servers');
    expect(await rows('subscriptions').countDocuments({ _id: { $in: rest() }, 'sync.dueAt': null })).to.equal(2);
    await repair();
  });

  it('leaves units of the others given back', async () => {
    const unitsDue = [{ id: 'a unit', productId: 'a product' }];
    await rows('subscriptions').updateMany({}, { $set: { unitsDue } });
    const repair = await damage('subscriptions', first(), { $unset: { sync: 1 } });
    await rows('subscriptions').updateOne({ _id: first() }, { $set: { userId: { broken: true } } });
    await billing.runJobs('return-units');
    expect(await rows('subscriptions').countDocuments({ _id: { $in: rest() }, unitsDue: [] })).to.equal(2);
    await repair();
  });

  it('leaves the ledger of the others moving', async () => {
    const other = newUserId();
    await billing.grant(user, 100);
    await billing.grant(other, 100);
    const accounts = rows('credit_accounts');
    const broken = (await accounts.findOne({ userId: user }))?._id ?? '';
    const repair = await damage('credit_accounts', broken, { $set: { hasPending: true, pending: 'lost' } });
    await billing.runJobs('drain-ledger');
    expect((await accounts.findOne({ userId: other }))?.['hasPending']).to.equal(false);
    await repair();
  });

  it('leaves the steps of the other unpaid invoices taken', async () => {
    const invoices = await rows('invoices').find().toArray();
    const stepAt = new Date(billing.now().getTime() - 1_000);
    const dueAt = new Date(billing.now().getTime() + 86_400_000);
    await rows('invoices').updateMany({}, { $set: { status: 'unpaid', step: 'remind', stepAt, dueAt } });
    const repair = await damage('invoices', invoices[0]?._id ?? '', {
      $unset: { dueAt: 1, items: 1 },
      $set: { step: 'due' },
    });
    await billing.runJobs('dunning');
    expect(await rows('invoices').countDocuments({ step: 'due', stepAt: dueAt })).to.equal(invoices.length - 1);
    await repair();
  });

  it('leaves the other orders finished', async () => {
    const orders = await rows('orders').find().toArray();
    await rows('orders').updateMany({}, { $set: { status: 'cancelled', workDueAt: new Date(0) } });
    const repair = await damage('orders', orders[0]?._id ?? '', { $unset: { items: 1, holds: 1, userId: 1 } });
    await billing.runJobs('recover-orders');
    expect(await rows('orders').countDocuments({ workDueAt: null })).to.be.at.least(orders.length - 1);
    await repair();
  });

  it('leaves the other services compared', async () => {
    billing.advance(3_600_000);
    await rows('subscriptions').updateMany({}, { $set: { 'sync.dueAt': null, unitsDue: [] } });
    const lost = rest()[0] ?? '';
    const repair = await damage('subscriptions', first(), { $unset: { plan: 1, sync: 1, status: 1 } });
    await rows('subscriptions').updateOne({ _id: lost }, { $set: { status: 'failed' } });
    await billing.runJobs('reconcile');
    const found = (await billing.context.discrepancies.read()).discrepancies;
    expect(found.map(({ reference }) => reference)).to.include(lost);
    await repair();
  });
});
