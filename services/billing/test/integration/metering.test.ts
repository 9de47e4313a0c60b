import { CheckoutRequest, Invoice_Status, Scope, Service_Status } from '@panel/protos/billing';
import { expect } from 'chai';
import type { Product } from '../../src/domain/product.js';
import { meterSubscriptions } from '../../src/metering/meter-subscriptions.js';
import { fieldsOf, newUserId, type RunningBilling, startTestBilling } from '../harness.js';
import { productWith } from '../product.js';

const hourMs = 3_600_000;
/** Of a running game at these rates. */
const dayMinor = 240;
const rates = {
  runningHourMicros: 10_000_000,
  memoryGbHourMicros: 0,
  diskGbHourMicros: 0,
  trafficGbMicros: 0,
  monthlyCapMinor: 0,
};

describe('metered services', function () {
  this.timeout(180_000);
  let billing: RunningBilling;
  beforeEach(async () => {
    billing = await startTestBilling();
    billing.setTime(new Date('2026-03-30T10:00:00Z'));
  });
  afterEach(async () => billing.stop());

  const sell = async (changes: Partial<typeof rates> = {}): Promise<Product> => {
    const [plan] = productWith().plans;
    if (!plan) throw new Error('a product has a plan');
    const metered = { ...plan, priceMinor: 0, interval: 'metered' as const, usageRates: { ...rates, ...changes } };
    return billing.sell({ plans: [metered] });
  };
  const request = (productId: string) =>
    CheckoutRequest.create({
      paymentMethod: 'credits',
      items: [{ productId, planId: '', quantity: 1, config: undefined }],
    });
  const buy = async (user: string, productId: string) => {
    const { services } = await billing.orders.checkout(request(productId), billing.as(user));
    await billing.runUntilIdle();
    return serviceOf(user, services[0]?.id ?? '');
  };
  /** With the credits for a day that a start needs, of which these are left. */
  const buyWith = async (user: string, creditsMinor: number) => {
    await billing.grant(user, dayMinor);
    const service = await buy(user, (await sell()).id);
    await billing.grant(user, creditsMinor - dayMinor);
    return service;
  };
  const serviceOf = async (user: string, serviceId: string) => {
    const { service } = await billing.services.getService({ serviceId }, billing.as(user));
    if (!service) throw new Error('no service');
    return service;
  };
  const balanceOf = async (user: string) => billing.context.credits.balance(user, 'EUR');
  /** Whole, measured hours. */
  const run = async (serverId: string, hours: number) => {
    for (let hour = 0; hour < hours; hour++) {
      billing.usage.add(serverId, new Date(Math.floor(billing.now().getTime() / hourMs) * hourMs), {
        runningSeconds: 3_600,
      });
      billing.advance(hourMs);
    }
    await measure();
  };
  const measure = async () => {
    billing.usage.completeUntil = billing.now();
    billing.advance(5 * 60_000);
    await billing.runUntilIdle();
    billing.advance(-5 * 60_000);
  };
  const invoicesOf = async (user: string) => {
    const page = { page: undefined, scope: Scope.OWN, status: Invoice_Status.UNSPECIFIED, userId: '' };
    return (await billing.invoices.listInvoices(page, billing.as(user))).invoices;
  };

  it('needs credits for a day at checkout, no more than its cap', async () => {
    const user = newUserId();
    const [product, capped] = [await sell(), await sell({ monthlyCapMinor: 25 })];
    const fields = async ({ id }: Product) => fieldsOf(billing.orders.checkout(request(id), billing.as(user)));
    expect(await fields(product)).to.deep.equal(['credits']);
    await billing.grant(user, dayMinor - 1);
    expect(await fields(product)).to.deep.equal(['credits']);
    expect(await fields(capped)).to.deep.equal([]);
    await billing.grant(user, 1);
    expect(await fields(product)).to.deep.equal([]);
  });

  it('charges each hour of a metered server once, however many replicas charge it', async () => {
    const user = newUserId();
    await billing.grant(user, 1_000);
    const service = await buy(user, (await sell()).id);
    expect(billing.servers.servers.get(service.serverId)?.request.metered).to.equal(true);
    await run(service.serverId, 3);
    expect(await balanceOf(user)).to.equal(970);
    await billing.context.subscriptions.changeIf(
      service.id,
      {},
      { set: { meterAt: billing.now(), meteredUntil: null } },
    );
    const { signal } = new AbortController();
    await Promise.all(Array.from({ length: 10 }, async () => meterSubscriptions(billing.context, signal)));
    expect(await balanceOf(user)).to.equal(970);
    await billing.checkInvariants();
  });

  it('waits for hours that are not measured to their end', async () => {
    const user = newUserId();
    await billing.grant(user, 1_000);
    const service = await buy(user, (await sell()).id);
    billing.usage.add(service.serverId, billing.now(), { runningSeconds: 1_800 });
    billing.usage.completeUntil = new Date(billing.now().getTime() + hourMs / 2);
    billing.advance(2 * hourMs);
    await billing.runUntilIdle();
    expect(await balanceOf(user)).to.equal(1_000);
  });

  it('costs no more than the cap in a month, and counts anew in the next one', async () => {
    const user = newUserId();
    await billing.grant(user, 1_000);
    const service = await buy(user, (await sell({ monthlyCapMinor: 25 })).id);
    await run(service.serverId, 20);
    expect(await balanceOf(user)).to.equal(975);
    billing.setTime(new Date('2026-04-01T00:00:00Z'));
    await measure();
    await run(service.serverId, 2);
    expect(await balanceOf(user)).to.equal(955);
  });

  it('warns before the credits end, suspends at zero, and resumes with a top-up that pays what was open', async () => {
    const user = newUserId();
    const service = await buyWith(user, 35);
    const server = billing.servers.servers.get(service.serverId);
    await run(service.serverId, 1);
    await billing.runUntilIdle();
    const mails = [...billing.mail.mails.values()].map(({ mail }) => mail?.$case);
    expect(mails.filter((name) => name === 'creditsLow')).to.have.length(1);
    expect(await balanceOf(user)).to.equal(25);
    await run(service.serverId, 3);
    await billing.runUntilIdle();
    expect(await balanceOf(user)).to.equal(0);
    const suspended = await serviceOf(user, service.id);
    expect([suspended.status, suspended.suspendReason]).to.deep.equal([Service_Status.SUSPENDED, 'balance']);
    expect(server?.suspended).to.equal(true);
    await billing.checkInvariants();
    await billing.grant(user, 100);
    await billing.runUntilIdle();
    expect(await balanceOf(user)).to.equal(95);
    expect((await serviceOf(user, service.id)).status).to.equal(Service_Status.ACTIVE);
    expect(server?.suspended).to.equal(false);
    await billing.checkInvariants();
  });

  it('ends a service that has waited for credits too long, and leaves what it has used as a debt', async () => {
    const user = newUserId();
    const service = await buyWith(user, 5);
    await run(service.serverId, 1);
    await billing.runUntilIdle();
    billing.advance(15 * 24 * hourMs);
    await billing.runUntilIdle();
    expect((await serviceOf(user, service.id)).status).to.equal(Service_Status.TERMINATED);
    expect(billing.servers.servers.size).to.equal(0);
    await measure();
    await measure();
    expect(await balanceOf(user)).to.equal(-5);
    expect((await invoicesOf(user)).map(({ total }) => total?.amountMinor)).to.include(10);
    const free = await billing.sell({
      plans: productWith().plans.map((plan) => ({ ...plan, interval: 'free' as const, priceMinor: 0 })),
    });
    expect(await fieldsOf(billing.orders.checkout(request(free.id), billing.as(user)))).to.deep.equal(['credits']);
    await billing.grant(user, 5);
    await billing.orders.checkout(request(free.id), billing.as(user));
    await billing.checkInvariants();
  });

  it('suspends and ends the service of a deleted user when credits are used up', async () => {
    const user = newUserId();
    await billing.grant(user, 700);
    const service = await buy(user, (await sell()).id);
    billing.deletedUsers.add(user);
    await run(service.serverId, 60);
    const stored = async () => billing.context.subscriptions.get(service.id);
    expect(await stored()).to.include({ status: 'active' });
    await run(service.serverId, 20);
    expect(await balanceOf(user)).to.equal(0);
    expect(await stored()).to.deep.include({ status: 'suspended', suspendReasons: ['balance'] });
    expect(await billing.context.usageCharges.monthToInvoice(service.id)).to.equal('2026-04');
    billing.advance(60 * 24 * hourMs);
    await billing.runUntilIdle();
    expect(await stored()).to.include({ status: 'terminated' });
  });

  it('invoices each month once, paid from credits and taxed', async () => {
    const user = newUserId();
    await billing.grant(user, 1_000);
    const profile = { name: 'Ada', company: '', address: '', country: 'DE', vatNumber: '' };
    await billing.profiles.updateProfile(profile, billing.as(user));
    const service = await buy(user, (await sell()).id);
    await run(service.serverId, 10);
    expect(await balanceOf(user)).to.equal(1_000 - 119);
    billing.setTime(new Date('2026-04-01T01:00:00Z'));
    await measure();
    const usage = (await invoicesOf(user)).filter(({ items }) => items[0]?.description.includes('usage 2026-03'));
    expect(usage).to.have.length(1);
    expect(usage[0]?.status).to.equal(Invoice_Status.PAID);
    expect([usage[0]?.total?.amountMinor, usage[0]?.tax?.amountMinor]).to.deep.equal([119, 19]);
    expect(usage[0]?.number).to.match(/^INV-/);
    await billing.checkInvariants();
  });

  it('charges a service that ends up to its end, and invoices it', async () => {
    const user = newUserId();
    await billing.grant(user, 1_000);
    const service = await buy(user, (await sell()).id);
    await run(service.serverId, 2);
    const cancel = { serviceId: service.id, immediately: false, reason: '' };
    await billing.services.cancelService(cancel, billing.as(user));
    await run(service.serverId, 1);
    billing.advance(hourMs);
    await measure();
    expect(await balanceOf(user)).to.equal(970);
    expect((await invoicesOf(user)).map(({ total }) => total?.amountMinor)).to.include(30);
    expect((await billing.context.subscriptions.get(service.id))?.meterAt).to.equal(null);
    await billing.checkInvariants();
  });
});
